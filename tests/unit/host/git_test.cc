#include "host/git.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace sbx {
namespace {

namespace fs = std::filesystem;

class GitTest : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "sbx-git-XXXXXX").string();
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        root = fs::canonical(pattern).string();
    }
    void TearDown() override { fs::remove_all(root); }

    void file(const std::string& path, const std::string& text = "") {
        fs::path full = root + "/" + path;
        fs::create_directories(full.parent_path());
        std::ofstream(full) << text;
    }
    void git_directory(const std::string& path) {
        file(path + "/HEAD", "ref: refs/heads/main\n");
        file(path + "/config");
        fs::create_directories(root + "/" + path + "/objects");
    }

    std::string root;
};

TEST_F(GitTest, FindsTheTopLevelFromBelow) {
    git_directory("p/.git");
    fs::create_directories(root + "/p/a/b");
    auto git = find_repository(root + "/p/a/b", "");
    ASSERT_TRUE(git);
    EXPECT_EQ(git->top_level, root + "/p");
    EXPECT_TRUE(git->trusted);
    EXPECT_FALSE(git->linked_worktree);
}

TEST_F(GitTest, AGitDirectoryWithoutHeadIsNoRepository) {
    fs::create_directories(root + "/p/.git/objects");
    EXPECT_FALSE(find_repository(root + "/p", ""));
}

TEST_F(GitTest, TheHomeIsNeverATopLevel) {
    git_directory(".git");
    fs::create_directories(root + "/home/p");
    EXPECT_FALSE(find_repository(root + "/home/p", root + "/home")) << "it holds the home";
    git_directory("home/.git");
    EXPECT_FALSE(find_repository(root + "/home/p", root + "/home")) << "dotfiles kept in git";
}

TEST_F(GitTest, ALinkedWorktreeCountsOnlyWhenItsRepositorySaysSo) {
    git_directory("main/.git");
    git_directory("main/.git/worktrees/wt");
    file("main/.git/worktrees/wt/commondir", "../..\n");
    file("main/.git/worktrees/wt/gitdir", root + "/wt/.git\n");
    file("wt/.git", "gitdir: " + root + "/main/.git/worktrees/wt\n");
    auto git = find_repository(root + "/wt", "");
    ASSERT_TRUE(git);
    EXPECT_TRUE(git->linked_worktree);
    EXPECT_TRUE(git->trusted);
    EXPECT_EQ(git->common_dir, root + "/main/.git");

    file("evil/.git", "gitdir: " + root + "/main/.git/worktrees/wt\n");
    auto evil = find_repository(root + "/evil", "");
    ASSERT_TRUE(evil);
    EXPECT_FALSE(evil->trusted) << "a planted .git file would have granted the other repository";
}

TEST_F(GitTest, ModulesAndWorktreesAreGuardedToo) {  // P76
    git_directory("p/.git");
    git_directory("p/.git/modules/libs/sub");
    git_directory("p/.git/modules/libs/sub/modules/deep");
    git_directory("p/.git/worktrees/w");
    auto git = find_repository(root + "/p", "");
    ASSERT_TRUE(git);
    std::vector<std::string> paths;
    for (const auto& directory : guarded_git_directories(*git)) {
        paths.push_back(directory.path.substr(root.size()));
    }
    EXPECT_EQ(paths, (std::vector<std::string>{"/p/.git", "/p/.git/modules/libs/sub",
                                               "/p/.git/modules/libs/sub/modules/deep", "/p/.git/worktrees/w"}));
}

}  // namespace
}  // namespace sbx
