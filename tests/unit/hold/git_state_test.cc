#include "hold/git_state.h"

#include <gtest/gtest.h>

namespace sbx::hold {
namespace {

TEST(GitState, LinesThatRunProgramsGo) {
    EXPECT_EQ(disarmed_git_state("git-rebase-todo", "", "pick 1 a\nexec evil\npick 2 b\n"), "pick 1 a\npick 2 b\n");
    EXPECT_EQ(disarmed_git_state("git-rebase-todo", "", "x evil\n"), "");
    EXPECT_EQ(disarmed_git_state("git-rebase-todo", "", "pick 1\n \t exec\tevil"), "pick 1\n");
    EXPECT_EQ(disarmed_git_state("git-rebase-todo", "", "exec evil\r\nlabel x\n"), "label x\n");
}

TEST(GitState, TheUsersOwnLinesStay) {
    const char* own = "pick 1 a\nexec make\npick 2 b\nexec make\n";
    EXPECT_EQ(disarmed_git_state("git-rebase-todo", own, "pick 2 b\nexec make\n"), std::nullopt);
    EXPECT_EQ(disarmed_git_state("git-rebase-todo", own, "exec make\nexec make\nexec make\n"), "exec make\nexec make\n");
    EXPECT_EQ(disarmed_git_state("git-rebase-todo", "", "pick 1 exec\nlabel exec\nexecute\nxx\n"), std::nullopt);
}

TEST(GitState, OnlyBuiltInStrategies) {
    EXPECT_EQ(disarmed_git_state("strategy", "", "ort\n"), std::nullopt);
    EXPECT_EQ(disarmed_git_state("strategy", "", "/evil\n"), "");
    EXPECT_EQ(disarmed_git_state("strategy", "", "ort\n/evil\n"), "");
    EXPECT_EQ(disarmed_git_state("strategy", "mine\n", "mine\n"), std::nullopt);
    EXPECT_EQ(disarmed_git_state("opts", "", "[options]\n\tedit = true\n\tstrategy = ort\n"), std::nullopt);
    EXPECT_EQ(disarmed_git_state("opts", "", "[options]\n\tSTRATEGY = /evil\n"), "");
    EXPECT_EQ(disarmed_git_state("opts", "", "[options\n"), "");
}

}  // namespace
}  // namespace sbx::hold
