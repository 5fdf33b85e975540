// Repositories that a run makes or finds inside the project: usable, and running nothing of the command's.
#include <algorithm>

#include "hold/session.h"
#include "unit/hold/fixture.h"

namespace sbx::hold {
namespace {

using RepositoryTest = HoldTest;

TEST_F(RepositoryTest, DependencyFoldersCountForGitOnly) {
    Report report = run([&] {
        write("node_modules/x/.npmrc", "audit=false");
        write("node_modules/x/.vscode/settings.json", "{}");
        write("node_modules/y/.git/HEAD", "ref: refs/heads/main\n");
        fs::create_directories(at("node_modules/y/.git/objects"));
        fs::create_directories(at("node_modules/y/.git/refs"));
        write("node_modules/y/.git/hooks/pre-commit", "evil", 0755);
    });
    EXPECT_EQ(read("node_modules/x/.npmrc"), "audit=false");
    EXPECT_TRUE(there("node_modules/x/.vscode/settings.json"));
    EXPECT_FALSE(there("node_modules/y/.git/hooks/pre-commit"));
    EXPECT_EQ(held_content("node_modules/y/.git/hooks/pre-commit"), "evil");
}

TEST_F(RepositoryTest, NewRepositoryStaysUsable) {
    run([&] {
        fs::create_directories(at("new"));
        std::string git =
            "cd '" + at("new") +
            "' && git init -q -b main . && git config user.name me && "
            "git config core.fsmonitor 'touch PWNED' && git config remote.origin.url https://x.example/a && "
            "git config remote.origin.fetch '+refs/heads/*:refs/remotes/origin/*' && "
            "git config filter.x.clean evil && printf '#!/bin/sh\\n' > .git/hooks/pre-commit && "
            "chmod +x .git/hooks/pre-commit";
        EXPECT_EQ(system(git.c_str()), 0);
    });
    EXPECT_FALSE(there("new/.git/hooks/pre-commit"));
    EXPECT_TRUE(there("new/.git/hooks/pre-commit.sample"));
    std::string config = read("new/.git/config");
    EXPECT_EQ(config.find("fsmonitor"), std::string::npos);
    EXPECT_EQ(config.find("clean"), std::string::npos);
    EXPECT_NE(config.find("https://x.example/a"), std::string::npos);
    EXPECT_NE(held_content("new/.git/config").find("fsmonitor"), std::string::npos);
    EXPECT_EQ(system(("cd '" + at("new") +
                      "' && git status -s >/dev/null && git -c user.email=a@b "
                      "commit -q --allow-empty -m x && test ! -e PWNED")
                         .c_str()),
              0);
}

TEST_F(RepositoryTest, OrdinaryNewRepositoryHoldsNothing) {
    Report report = run([&] { EXPECT_EQ(system(("git init -q '" + at("new") + "'").c_str()), 0); });
    EXPECT_TRUE(report.held.empty());
    EXPECT_TRUE(there("new/.git/HEAD"));
}

TEST_F(RepositoryTest, PlantedBareRepository) {  // escape-bench c-planted-bare
    run([&] {
        EXPECT_EQ(
            system(("git init -q --bare '" + at("docs/site") + "' && git -C '" + at("docs/site") +
                    "' config core.fsmonitor 'touch PWNED'; git -C '" + at("docs/site") +
                    "' config core.bare false; git -C '" + at("docs/site") + "' config core.worktree ..")
                       .c_str()),
            0);
    });
    std::string config = read("docs/site/config");
    EXPECT_EQ(config.find("fsmonitor"), std::string::npos);
    EXPECT_EQ(config.find("worktree"), std::string::npos);
}

TEST_F(RepositoryTest, GitFileThatLeadsIntoObjects) {
    EXPECT_EQ(system(("git init -q '" + project_ + "'").c_str()), 0);
    plan_.handover.git_dirs = {at(".git")};
    run([&] {
        std::string evil = at(".git/objects/ab/evil");
        EXPECT_EQ(system(("mkdir -p '" + at("sub") + "' && git init -q --bare '" + evil + "' && git -C '" +
                          evil + "' config core.fsmonitor 'touch PWNED; false' && git -C '" + evil +
                          "' config core.bare false")
                             .c_str()),
                  0);
        write("sub/.git", "gitdir: ../.git/objects/ab/evil\n");
    });
    (void)!system(("cd '" + at("sub") + "' && git status >/dev/null 2>&1").c_str());
    EXPECT_FALSE(there("sub/PWNED"));
}

TEST_F(RepositoryTest, ExistingNestedRepositoryKeepsItsConfigAndHooks) {
    EXPECT_EQ(system(("git init -q '" + at("vendor/n") + "'").c_str()), 0);
    write("vendor/n/.git/hooks/post-checkout", "#!/bin/sh\n", 0755);
    expect_held(
        [&] {
            (void)!system(("git -C '" + at("vendor/n") + "' config core.fsmonitor evil").c_str());
            write("vendor/n/.git/hooks/post-checkout", "evil", 0755);
        },
        "vendor/n/.git/hooks/post-checkout", "evil");
}

TEST_F(RepositoryTest, HooksFolderReplacedByALink) {
    EXPECT_EQ(system(("git init -q '" + at("n") + "'").c_str()), 0);
    run([&] {
        fs::remove_all(at("n/.git/hooks"));
        write("h/pre-commit", "evil", 0755);
        fs::create_symlink("../../h", at("n/.git/hooks"));
    });
    EXPECT_FALSE(there("n/.git/hooks/pre-commit"));
}

TEST_F(RepositoryTest, InfoAttributesAloneAreHarmless) {
    // A filter or diff driver needs configuration, which is held.
    Report report = run([&] {
        EXPECT_EQ(system(("git init -q '" + at("n") + "'").c_str()), 0);
        write("n/.git/info/attributes", "* filter=x\n");
    });
    EXPECT_TRUE(report.failed.empty());
}

}  // namespace
}  // namespace sbx::hold
