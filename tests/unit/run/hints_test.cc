#include "run/hints.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace sbx {
namespace {

namespace fs = std::filesystem;

class HintsTest : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "sbx-hints-XXXXXX").string();
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        root = fs::canonical(pattern).string();
        fs::create_directories(root + "/home/project/.git");
        fs::create_directories(root + "/home/bin");
        std::ofstream(root + "/home/notes") << "x";
        std::ofstream(root + "/home/project/.git/config") << "x";
        std::ofstream(root + "/home/bin/tool") << "#!/bin/sh\n";
        fs::permissions(root + "/home/bin/tool", fs::perms::all);
        facts.environment = {{"PATH", root + "/home/bin"}};
        plan.cwd = root + "/home/project";
        Mount home;
        home.kind = Mount::Kind::Tmpfs;
        home.destination = root + "/home";
        home.rule = "sandbox.home";
        Mount project;
        project.source = project.destination = plan.cwd;
        project.purpose = Purpose::Worktree;
        project.access = Access::Write;
        Mount guard = project;
        guard.source = guard.destination = plan.cwd + "/.git/config";
        guard.purpose = Purpose::Guard;
        guard.access = Access::Read;
        guard.rule = "guards.git";
        plan.mounts = {home, project, guard};
    }
    void TearDown() override { fs::remove_all(root); }

    std::string hint(std::vector<std::string> argv, Outcome outcome = {Outcome::Kind::Exited, 1, {}}) {
        plan.argv = std::move(argv);
        return find_hint(plan, facts, outcome);
    }

    std::string root;
    Plan plan;
    HostFacts facts;
};

TEST_F(HintsTest, APathThatExistsOutsideOnly) {
    std::string notes = root + "/home/notes";
    std::string text = notes + " exists, but the command cannot see it: sandbox.home (built-in); --read " + notes +
                       " would show it";
    EXPECT_EQ(hint({"cat", notes}), text);
    EXPECT_EQ(hint({"cat", "../notes"}), text);
    EXPECT_EQ(hint({"tool", "--file=" + notes}), text);
    EXPECT_EQ(hint({"cat", notes}, {Outcome::Kind::Exited, 0, {}}), "");
    EXPECT_EQ(hint({"cat", notes + "-missing"}), "");
    EXPECT_EQ(hint({"cat", "notes"}), "");
}

TEST_F(HintsTest, ACommandThatExistsOutsideOnly) {
    Outcome missing{Outcome::Kind::NotFound, 0, {}};
    EXPECT_EQ(hint({"tool"}, missing), root + "/home/bin/tool exists, but the command cannot see it: sandbox.home "
                                              "(built-in); --read " + root + "/home/bin would show it");
    EXPECT_EQ(hint({"no-such-tool"}, missing), "");
}

TEST_F(HintsTest, AReadOnlyPathOnlyForProgramsThatChangeIt) {
    EXPECT_EQ(hint({"rm", ".git/config"}),
              plan.cwd + "/.git/config is read-only inside: guards.git (built-in); "
                         "--allow-git-config would allow it for one run");
    EXPECT_EQ(hint({"grep", "x", ".git/config"}), "");
}

}  // namespace
}  // namespace sbx
