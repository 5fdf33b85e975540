#include "util/text.h"

#include <gtest/gtest.h>

namespace sbx {
namespace {

TEST(ShellQuote, LeavesPlainWordsAndQuotesTheRest) {
    EXPECT_EQ(shell_quote("a/b-c_d=1"), "a/b-c_d=1");
    EXPECT_EQ(shell_quote(""), "''");
    EXPECT_EQ(shell_quote("it's"), "'it'\\''s'");
    EXPECT_EQ(shell_quote("$(x)"), "'$(x)'");
    EXPECT_EQ(shell_quote("a\nb"), "'a\nb'");
    EXPECT_EQ(shell_join({"sh", "-c", "a b"}), "sh -c 'a b'");
    EXPECT_EQ(shell_join({"\x1b[31m", "it's\n\\"}), "$'\\x1b[31m' $'it\\'s\\n\\\\'");
}

TEST(Printable, DefusesTerminalControl) {  // T86
    EXPECT_EQ(printable("a\rb\vc\fd"), "a b c d");
    EXPECT_EQ(printable("\x1b[31m"), "\\x1b[31m");
    EXPECT_EQ(printable("tab\tline\n"), "tab\tline\n");
    EXPECT_EQ(printable("\xc2\x85"), " ");            // U+0085
    EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");   // C1 CSI
    EXPECT_EQ(printable("\xff\xfe"), "\\xff\\xfe");
    EXPECT_EQ(printable("\xe2\x80\xae"), "\\xe2\\x80\\xae");  // right-to-left override
    EXPECT_EQ(printable("é日"), "é日");
    EXPECT_EQ(printable_line("a\nb"), "a b");
}

TEST(Utf8, IsStrict) {
    EXPECT_TRUE(is_utf8("é日\xf0\x9f\x93\xa6"));
    EXPECT_FALSE(is_utf8("\xc0\x80"));          // overlong NUL
    EXPECT_FALSE(is_utf8("\xed\xa0\x80"));      // surrogate
    EXPECT_FALSE(is_utf8("\xf4\x90\x80\x80"));  // above U+10FFFF
    EXPECT_FALSE(is_utf8("\xe2\x82"));          // cut off
}

TEST(ParseDecimal, TakesPlainNumbersOnly) {
    EXPECT_EQ(parse_decimal("1.5"), 1.5);
    EXPECT_EQ(parse_decimal("12"), 12.0);
    EXPECT_EQ(parse_decimal("-3"), -3.0);
    for (const char* text : {"", "-", "1.", ".5", "1.2.3", "1e3", "0x10", "inf", "nan", " 1", "1 "}) {
        EXPECT_FALSE(parse_decimal(text)) << text;
    }
}

TEST(PathWithin, ComparesByComponent) {  // H18
    EXPECT_TRUE(path_within("/tmp", "/tmp"));
    EXPECT_TRUE(path_within("/tmp/a", "/tmp"));
    EXPECT_FALSE(path_within("/tmp2", "/tmp"));
    EXPECT_TRUE(path_within("/a", "/"));
    EXPECT_FALSE(path_within("/", "/a"));
}

TEST(PathNormalise, ResolvesTextually) {
    EXPECT_EQ(path_normalise("/a//b/./c/../d/"), "/a/b/d");
    EXPECT_EQ(path_normalise("/../.."), "/");
    EXPECT_EQ(path_normalise("a/../.."), "..");
    EXPECT_EQ(path_normalise("."), ".");
    EXPECT_EQ(path_parent("/a"), "/");
    EXPECT_EQ(path_name("/a/b"), "b");
    EXPECT_EQ(path_join("/a/", "/b"), "/a/b");
}

TEST(Glob, StarsNeverCrossSlashes) {  // C7
    EXPECT_TRUE(glob_match("*.pem", "key.pem"));
    EXPECT_FALSE(glob_match("*.pem", "a/key.pem"));
    EXPECT_TRUE(glob_match(".env*", ".env"));
    EXPECT_TRUE(glob_match("a*b*c", "axxbyyc"));
    EXPECT_FALSE(glob_match("a?c", "a/c"));
    EXPECT_FALSE(glob_match("", "x"));
    EXPECT_TRUE(glob_match("***", ""));
}

TEST(Json, QuotesEverything) {
    EXPECT_EQ(json_quote("a\"b\\c\n"), "\"a\\\"b\\\\c\\u000a\"");
    EXPECT_EQ(json_quote("\xff"), "\"\xef\xbf\xbd\"");
}

TEST(Paths, DepthCountsComponents) {
    EXPECT_EQ(path_depth("/"), 0U);
    EXPECT_EQ(path_depth(""), 0U);
    EXPECT_EQ(path_depth("/a"), 1U);
    EXPECT_EQ(path_depth("/a//b/./c/"), 3U);
    EXPECT_EQ(path_depth("/a/.."), 2U);
}

}  // namespace
}  // namespace sbx
