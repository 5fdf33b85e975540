// The directories that stand for private mounts: made, private, and gone afterwards whatever is in them.
#include "unit/macos/runner.h"

namespace sbx {
namespace {

using test::Running;
using test::World;

TEST(PrivatePlaces, AreMadeForTheRunAndRemoved) {  // P28, C15
    World world;
    Mount file;
    file.kind = Mount::Kind::File;
    file.purpose = Purpose::Home;
    file.destination = world.plan.home + "/.gitconfig";
    file.data = "[user]\n\tname = Me\n";
    file.mode = 0600;
    world.plan.mounts.push_back(file);
    world.shell("stat -c %a \"$HOME\" \"$HOME/.gitconfig\"; cat \"$HOME/.gitconfig\"; touch \"$HOME/mine\"; cd \"$HOME\" && pwd");
    Running run(world);
    EXPECT_EQ(run.exit_code(), 0) << run.errors;
    EXPECT_EQ(run.output, "700\n600\n[user]\n\tname = Me\n" + world.plan.home + "\n");
    EXPECT_FALSE(std::filesystem::exists(world.facts.mac.run_directory));
}

TEST(PrivatePlaces, KeepAPersistentHome) {
    World world;
    world.plan.home = world.path("state/sandbox/app-1");
    world.plan.mounts[2] = test::bound(world.plan.home, Purpose::Home, Access::Write);
    world.plan.environment[1].value = world.plan.home;
    Mount file;
    file.kind = Mount::Kind::File;
    file.destination = world.plan.home + "/.gitconfig";
    file.data = "new\n";
    file.mode = 0600;
    world.plan.mounts.push_back(file);
    // The command of an earlier run left a trap for the next one's writing.
    world.write("victim", "untouched");
    world.shell("rm -f \"$HOME/.gitconfig\"; ln -s " + world.path("victim") + " \"$HOME/.gitconfig\"; echo kept > \"$HOME/data\"");
    EXPECT_EQ(Running(world).exit_code(), 0);
    world.shell("cat \"$HOME/.gitconfig\" \"$HOME/data\"");
    Running second(world);
    EXPECT_EQ(second.exit_code(), 0) << second.errors;
    EXPECT_EQ(second.output, "new\nkept\n");
    EXPECT_EQ(world.read("victim"), "untouched");
}

TEST(PrivatePlaces, AreRemovedWhateverTheCommandMade) {
    World world;
    world.write("outside", "stays");
    world.shell(
        "cd \"$HOME\" && ln -s " + world.path("work") + " link && mkdir -p a/b && touch a/b/c && chmod 0 a/b && chmod 500 a; touch " + world.path("work/stays"));
    Running run(world);
    EXPECT_EQ(run.exit_code(), 0) << run.errors;
    EXPECT_FALSE(std::filesystem::exists(world.facts.mac.run_directory));
    EXPECT_TRUE(std::filesystem::exists(world.path("work/stays")));
}

TEST(PrivatePlaces, AreRemovedAtAnyDepth) {
    World world;
    std::string deep = world.path("deep");
    std::filesystem::create_directory(deep);
    Fd at(open(deep.c_str(), O_RDONLY | O_DIRECTORY));
    for (int level = 0; level < 1200; ++level) {  // far beyond PATH_MAX and the number of descriptors
        ASSERT_EQ(mkdirat(at.get(), "directory", 0700), 0);
        at.reset(openat(at.get(), "directory", O_RDONLY | O_DIRECTORY));
        ASSERT_TRUE(at.valid());
    }
    remove_tree(deep);
    EXPECT_FALSE(std::filesystem::exists(deep));
}

TEST(PrivatePlaces, OfKilledRunsAreRemovedByTheNext) {
    World world;
    pid_t gone = fork();
    if (gone == 0) {
        _exit(0);
    }
    waitpid(gone, nullptr, 0);
    std::string dead = world.path("cache/sbx/run-" + std::to_string(gone) + "-1");
    std::string alive = world.path("cache/sbx/run-" + std::to_string(getppid()) + "-1");
    std::filesystem::create_directories(dead + "/home");
    std::filesystem::create_directories(alive + "/home");
    world.shell("true");
    EXPECT_EQ(Running(world).exit_code(), 0);
    EXPECT_FALSE(std::filesystem::exists(dead));
    EXPECT_TRUE(std::filesystem::exists(alive));
}

TEST(PrivatePlaces, AreNotTakenFromSomebodyElse) {
    World world;
    std::filesystem::create_directories(world.facts.mac.run_directory);
    world.shell("touch ran");
    EXPECT_EQ(Running(world).exit_code(), 125);
    EXPECT_FALSE(std::filesystem::exists(world.path("work/ran")));
}

}  // namespace
}  // namespace sbx
