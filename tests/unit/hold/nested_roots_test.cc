// Runs that are live at once and see a folder in different ways.
#include <csignal>

#include "hold/run.h"
#include "unit/hold/overlap.h"

namespace sbx::hold {
namespace {

/// Runs of which one's root lies in the other's, or whose policies differ.
class NestedRootsTest : public OverlapTest {
  protected:
    NestedRootsTest() {
        fs::create_directories(at("packages/app"));
        inner_ = plan_;
        inner_.handover.roots = {at("packages/app")};
    }

    std::unique_ptr<Session> begin_inner() {
        auto session = Session::begin(inner_, folders(), cat_file_);
        EXPECT_TRUE(session.ok()) << session.error().message;
        return session.ok() ? std::move(*session) : nullptr;
    }

    Plan inner_;
};

TEST_F(NestedRootsTest, InnerRunDoesNotKeepWhatTheOuterPlanted) {
    write("packages/app/.npmrc", "mine");
    write("packages/app/.mcp.json", "{}");
    auto before = tree();
    auto outer = begin();
    perform([&] {
        write("packages/app/.envrc", "evil");
        write("packages/app/.vscode/deep/tasks.json", "evil");
        write("packages/app/.npmrc", "evil");
        fs::remove(at("packages/app/.mcp.json"));
    });
    auto inner = begin_inner();
    outer->finish();
    EXPECT_EQ(tree(), before);
    inner->finish();
    EXPECT_EQ(tree(), before);
    EXPECT_TRUE(is_held("packages/app/.envrc", "evil"));
    EXPECT_TRUE(fs::is_empty(runtime_));
}

TEST_F(NestedRootsTest, OuterRunDoesNotKeepWhatTheInnerPlanted) {
    write("packages/app/.npmrc", "mine");
    auto before = tree();
    auto inner = begin_inner();
    perform([&] {
        write("packages/app/.envrc", "evil");
        write("packages/app/.npmrc", "evil");
    });
    auto outer = begin();
    inner->finish();
    EXPECT_EQ(tree(), before);
    perform([&] { write("packages/app/.npmrc", "again"); });
    outer->finish();
    EXPECT_EQ(tree(), before);
    EXPECT_TRUE(is_held("packages/app/.npmrc", "again"));
}

TEST_F(NestedRootsTest, NothingOfTheUsersIsTakenForPlanted) {
    // A repository that mounts guard for one run is a nested one for the other.
    write("packages/app/.git/HEAD", "ref: refs/heads/main\n");
    write("packages/app/.git/config", "[core]\n\thooksPath = hooks\n");
    write("packages/app/.git/hooks/pre-commit", "mine", 0755);
    fs::create_directories(at("packages/app/.git/objects"));
    fs::create_directories(at("packages/app/.git/refs"));
    write("src/a.c", "1");
    inner_.handover.git_dirs = {at("packages/app/.git")};
    auto before = tree();
    auto inner = begin_inner();
    auto outer = begin();
    perform([&] { write("packages/app/.git/hooks/pre-push", "evil", 0755); });
    inner->finish();
    outer->finish();
    EXPECT_EQ(tree(), before);
}

TEST_F(NestedRootsTest, ALinkThatAnotherRunMadeMakesNoFileTheHosts) {
    write("packages/app/src/a.c", "1");
    auto outer = begin();
    perform([&] { fs::create_directory_symlink("src", at("packages/app/.vscode")); });
    auto inner = begin_inner();
    perform([&] { write("packages/app/src/a.c", "2"); });
    inner->finish();
    outer->finish();
    EXPECT_EQ(read("packages/app/src/a.c"), "2");
    EXPECT_FALSE(there("packages/app/.vscode"));
}

TEST_F(NestedRootsTest, WhatIsGoneForAMomentOnlyStaysTheUsers) {
    write("packages/app/.vscode/settings.json", "mine");
    write("packages/app/conf/rc", "mine");
    fs::create_symlink("conf/rc", at("packages/app/.envrc"));
    write("packages/app/node_modules/x/.npmrc", "theirs");
    auto before = tree();
    for (bool inner_first : {false, true}) {
        auto first = inner_first ? begin_inner() : begin();
        perform([&] {
            fs::remove_all(at("packages/app/.vscode"));
            fs::remove_all(at("packages/app/conf"));
            fs::remove(at("packages/app/.envrc"));
            fs::remove(at("packages/app/node_modules/x/.npmrc"));
        });
        auto second = inner_first ? begin() : begin_inner();
        first->finish();
        second->finish();
        auto after = tree();
        fs::create_directories(at("packages/app/node_modules/x"));
        write("packages/app/node_modules/x/.npmrc", "theirs");  // nobody obeys that one
        EXPECT_EQ(tree(), before);
    }
}

TEST_F(NestedRootsTest, AFolderOfSettingsThatIsARootItself) {
    // Granted by itself its files are the command's to change; to the run around it they are the host's.
    write("packages/app/.vscode/settings.json", "mine");
    auto before = tree();
    inner_.handover.roots = {at("packages/app/.vscode")};
    auto inner = begin_inner();
    auto outer = begin();
    perform([&] { write("packages/app/.vscode/tasks.json", "evil"); });
    outer->finish();
    EXPECT_EQ(tree(), before);
    inner->finish();
    EXPECT_EQ(tree(), before);
}

TEST_F(NestedRootsTest, SettingsOfANestedRepositoryAreFollowedInBoth) {
    write("packages/app/lib/.git/HEAD", "ref: refs/heads/main\n");
    write("packages/app/lib/.git/config", "[core]\n\thooksPath = .githooks\n[include]\n\tpath = ../team.cfg\n");
    fs::create_directories(at("packages/app/lib/.git/objects"));
    fs::create_directories(at("packages/app/lib/.git/refs"));
    write("packages/app/lib/.githooks/pre-push", "mine", 0755);
    write("packages/app/lib/team.cfg", "[user]\n\tname = Me\n");
    auto before = tree();
    for (bool inner_first : {false, true}) {
        auto first = inner_first ? begin_inner() : begin();
        perform([&] {
            write("packages/app/lib/.githooks/pre-commit", "evil", 0755);
            write("packages/app/lib/.githooks/pre-push", "evil", 0755);
            write("packages/app/lib/team.cfg", "[core]\n\tfsmonitor = evil\n");
            write("packages/app/lib/.git/config", "[core]\n\tfsmonitor = evil\n");
            write("packages/app/lib/.git/hooks/post-commit", "evil", 0755);
        });
        auto second = inner_first ? begin() : begin_inner();
        first->finish();
        second->finish();
        fs::remove(at("packages/app/lib/.git/hooks"));
        EXPECT_EQ(tree(), before);
    }
}

TEST_F(NestedRootsTest, PlantedAndTakenAwayAllTheTime) {
    write("packages/app/.npmrc", "mine");
    auto before = tree();
    for (int round = 0; round < 200 && !HasFailure(); ++round) {
        auto outer = begin();
        pid_t planter = fork();
        if (planter == 0) {
            for (;;) {
                write("packages/app/.envrc", "evil");
                write("packages/app/.npmrc", "evil");
                fs::remove(at("packages/app/.envrc"));
                write("packages/app/.npmrc", "mine");
            }
        }
        auto inner = begin_inner();
        kill(planter, SIGKILL);
        waitpid(planter, nullptr, 0);
        outer->finish();
        inner->finish();
        EXPECT_EQ(tree(), before) << "round " << round;
    }
}

TEST_F(NestedRootsTest, AFolderInTheWayIsNotTakenForTheRoot) {
    write("packages/app/.envrc", "mine");
    fs::create_directories(base_ + "/victim/app");
    std::ofstream(base_ + "/victim/app/.envrc") << "victim's";
    std::ofstream(base_ + "/victim/app/.npmrc") << "victim's";
    auto inner = begin_inner();
    perform([&] {  // the command of a run around it
        fs::rename(at("packages"), at("moved"));
        fs::create_directory_symlink(base_ + "/victim", at("packages"));
    });
    EXPECT_FALSE(inner->finish().failed.empty());
    EXPECT_EQ(read_file(base_ + "/victim/app/.envrc"), "victim's");
    EXPECT_EQ(read_file(base_ + "/victim/app/.npmrc"), "victim's");
}

TEST_F(NestedRootsTest, OtherPoliciesInTheSameFolder) {
    write(".npmrc", "mine");
    auto before = tree();
    auto first = begin();
    perform([&] { write(".npmrc", "evil"); write("AGENTS.md", "evil"); });
    Plan other = plan_;
    other.handover.hold_instructions = true;
    auto second = Session::begin(other, folders(), cat_file_);
    ASSERT_TRUE(second.ok());
    first->finish();
    (*second)->finish();
    fs::remove(at("AGENTS.md"));  // the first run's policy leaves it
    EXPECT_EQ(tree(), before);
}

TEST_F(NestedRootsTest, ARunLostWithItsGuardianIsRestoredFromAround) {
    write("packages/app/.npmrc", "mine");
    auto before = tree();
    lose_a_run(inner_, [&] { write("packages/app/.npmrc", "evil"); });
    auto outer = begin();
    EXPECT_EQ(tree(), before);
    Report report = outer->finish();
    EXPECT_EQ(report.held, std::vector<std::string>{".npmrc"});
    EXPECT_TRUE(fs::is_empty(runtime_));
}

}  // namespace
}  // namespace sbx::hold
