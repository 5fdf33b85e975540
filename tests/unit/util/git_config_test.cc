#include "util/git_config.h"

#include <gtest/gtest.h>

namespace sbx {
namespace {

std::string listed(std::string_view text) {
    auto entries = parse_git_config(text);
    if (!entries.ok()) {
        return "error: " + entries.error().message;
    }
    std::string out;
    for (const auto& entry : *entries) {
        out += git_config_key(entry) + (entry.value ? "=" + *entry.value : "") + "|";
    }
    return out;
}

TEST(GitConfig, SectionsAndSubsections) {
    EXPECT_EQ(listed("[core]\n\tBare = false\n[Remote \"Up\\\"St\\x\"]\n URL = u\n"),
              "core.bare=false|remote.Up\"Stx.url=u|");
    EXPECT_EQ(listed("[a.B.c] x=1"), "a.b.c.x=1|");
    EXPECT_EQ(listed("[core] hooksPath = h"), "core.hookspath=h|");
    EXPECT_EQ(listed("[core \"\"] hooksPath = h"), "core..hookspath=h|");
    EXPECT_EQ(listed("[remote \t\"o\"]\nurl=x"), "remote.o.url=x|");
}

TEST(GitConfig, ValuesAreReadAsGitReadsThem) {
    EXPECT_EQ(listed("[a]\nx = b c  \ny = \" b \" ; c\nz = \"a#b\";c\n"), "a.x=b c|a.y= b |a.z=a#b|");
    EXPECT_EQ(listed("[a]\nx = one\\\n two\n"), "a.x=one two|");
    EXPECT_EQ(listed("[a]\nx = \\\"\\\\\\n\\t\\b\n"), "a.x=\"\\\n\t\b|");
    EXPECT_EQ(listed("[a]\nx\ny =\nz\n"), "a.x|a.y=|a.z|");
    EXPECT_EQ(listed("\xef\xbb\xbf[a]\r\nx = 1\r\n"), "a.x=1|");
    EXPECT_EQ(listed("# c\n; d [x]\n[a] ; e\nx=1 # f"), "a.x=1|");
    EXPECT_EQ(listed("[a]x=1\\"), "a.x=1|");
}

TEST(GitConfig, WhatGitRefusesIsAnError) {
    for (const char* text : {"[a", "[a]\n1x = 2", "[a]\nx = \"open", "[a]\nx = \\q", "[a b]\n", "[a \"b]\n",
                             "[a \"b\" ]\n", "[a]\nx y\n", "[a\n]", "[a]\n=1", "[a_b]\n", "[a]\nx # c\n", "[]\n"}) {
        EXPECT_EQ(listed(text).substr(0, 6), "error:") << text;
    }
    EXPECT_EQ(listed("[a]\nx=1\n\n?"), "error: bad git configuration line 4");
}

TEST(GitConfig, NulBytesCutKeysAndValuesAsInGit) {
    using namespace std::string_view_literals;
    EXPECT_EQ(listed("[core \"hookspath\0\"]\nx = evil\n"sv), "core.hookspath=evil|");
    EXPECT_EQ(listed("[core]\nhookspath = evil\0harmless\n"sv), "core.hookspath=evil|");
    EXPECT_EQ(listed("[core]\nhooks\0path = evil\n"sv).substr(0, 6), "error:");
}

TEST(GitConfig, HostileSizesAreBounded) {
    EXPECT_EQ(parse_git_config(std::string((1 << 20) + 1, '\n')).error().code, "oversized");
    EXPECT_TRUE(parse_git_config(std::string(1 << 20, '[')).error().code == "syntax");
    EXPECT_TRUE(parse_git_config("[a]\nx = " + std::string(1 << 19, '"')).ok());
}

TEST(GitConfig, WritingReadsBackByteForByte) {
    std::string all;
    for (int c = 1; c < 256; ++c) {
        all += static_cast<char>(c);
    }
    std::vector<GitConfigEntry> entries = {{"user", {}, "name", " Jo \"x\"; # \\ \n\t\r\n"},
                                           {"user", {}, "email", all},
                                           {"remote", "a \"b\" \\c", "url", ""},
                                           {"x", {}, "bare", {}}};
    std::string text = write_git_config(entries);
    auto again = parse_git_config(text);
    ASSERT_TRUE(again.ok()) << text;
    ASSERT_EQ(again->size(), entries.size());
    for (size_t i = 0; i < entries.size(); ++i) {
        EXPECT_EQ(git_config_key((*again)[i]), git_config_key(entries[i]));
        EXPECT_EQ((*again)[i].value, entries[i].value) << i;
    }
    EXPECT_EQ(text.find("[user]"), text.rfind("[user]"));
}

}  // namespace
}  // namespace sbx
