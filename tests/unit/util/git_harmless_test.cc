#include "util/git_harmless.h"

#include <gtest/gtest.h>

namespace sbx {
namespace {

constexpr const char* kBase = "[core]\n\tbare = false\n\tfsmonitor = false\n";

bool accepted(const std::string& added) { return only_harmless_changes(kBase, kBase + added); }

TEST(GitHarmless, WhatTheHostSetsEveryDayIsAccepted) {
    EXPECT_TRUE(accepted(""));
    EXPECT_TRUE(accepted("[user]\n\tname = A B\n\temail = \"a@b\"\n"));
    EXPECT_TRUE(accepted("[remote \"origin\"]\n\turl = git@github.com:a/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n"));
    EXPECT_TRUE(accepted("[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n"));
    EXPECT_TRUE(only_harmless_changes("[user]\nname=a\n[core]\nfsmonitor=false\n", "[core]\n  fsmonitor = false\n"));
}

TEST(GitHarmless, WhatMakesGitRunProgramsIsNot) {
    for (const char* text :
         {"[core]\nfsmonitor = touch x\n", "[core]\nhooksPath = /tmp/x\n", "[core]\nsshCommand = x\n", "[alias]\nst = !x\n",
          "[filter \"x\"]\nclean = x\n", "[include]\npath = ../x\n", "[includeIf \"gitdir:/\"]\npath = x\n",
          "[remote \"o\"]\nurl = ext::sh -c x\n", "[remote \"o\"]\nurl = -x\n", "[remote \"o\"]\nuploadpack = x\n",
          "[branch \"m\"]\nremote = ext::x\n", "[core]\nworktree = /\n", "[extensions]\nworktreeConfig = true\n",
          "[core \"x\"]\nbare = true\n", "[user]\nname = a\\\n[core]\nfsmonitor=x\n", "[credential]\nhelper = x\n"}) {
        bool continuation = std::string(text).find("\\\n") != std::string::npos;
        EXPECT_EQ(accepted(text), continuation) << text;
    }
}

TEST(GitHarmless, WhatGitCannotReadIsNotAccepted) {
    EXPECT_FALSE(accepted("[user\n"));
    EXPECT_FALSE(only_harmless_changes("[user\n", kBase));
}

TEST(GitHarmless, TakingAwayOrReorderingADangerousSettingCounts) {
    EXPECT_FALSE(only_harmless_changes(kBase, "[core]\n\tbare = false\n"));
    EXPECT_FALSE(only_harmless_changes("[alias]\na = b\na = c\n", "[alias]\na = c\na = b\n"));
}

}  // namespace
}  // namespace sbx
