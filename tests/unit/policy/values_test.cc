#include "policy/values.h"

#include <gtest/gtest.h>

namespace sbx {
namespace {

TEST(Values, DurationsNeedAUnit) {
    EXPECT_EQ(*parse_duration("500ms"), 500);
    EXPECT_EQ(*parse_duration("90s"), 90'000);
    EXPECT_EQ(*parse_duration("10m"), 600'000);
    EXPECT_EQ(*parse_duration("2h"), 7'200'000);
    EXPECT_EQ(*parse_duration("1d"), 86'400'000);
    for (const char* wrong : {"", "10", "m", "-1s", "0s", "1.5h", "10 m", "10M", "99999999999999999999s",
                              "9223372036854775807d"}) {
        EXPECT_FALSE(parse_duration(wrong)) << wrong;
    }
}

TEST(Values, SizesArePowersOf1024) {
    EXPECT_EQ(*parse_size("4096"), 4096);
    EXPECT_EQ(*parse_size("64K"), 65536);
    EXPECT_EQ(*parse_size("512M"), 536'870'912);
    EXPECT_EQ(*parse_size("1GiB"), 1'073'741'824);
    for (const char* wrong : {"", "0", "M", "-5M", "5X", "5MB", "9223372036854775807T"}) {
        EXPECT_FALSE(parse_size(wrong)) << wrong;
    }
}

// H14 to H16, H43 to H45, H50, H53, T91, C27: what a path may look like before anything is resolved.
struct PathCase {
    std::string path;
    std::string error;  // part of the message; "" when the path is good
};

class PathText : public testing::TestWithParam<PathCase> {};

TEST_P(PathText, IsJudgedAsWritten) {
    auto result = check_path_text(GetParam().path);
    EXPECT_EQ(result.ok(), GetParam().error.empty());
    if (!result.ok()) {
        EXPECT_NE(result.error().message.find(GetParam().error), std::string::npos) << result.error().message;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Seeds, PathText,
    testing::Values(PathCase{"src", ""}, PathCase{".", ""}, PathCase{"./a/b", ""}, PathCase{"~", ""},
                    PathCase{"~/dev", ""}, PathCase{"a..b", ""}, PathCase{"..a", ""}, PathCase{"50%", ""},
                    PathCase{"../../etc/passwd", "Path traversal detected: ../../etc/passwd"},
                    PathCase{"a/..", "Path traversal detected"}, PathCase{"/x/../y", "Path traversal detected"},
                    PathCase{"%2e%2e/etc", "Path traversal (encoded): "}, PathCase{"a/%2E%2E/b", "Path traversal (encoded)"},
                    PathCase{"50%2e", "Path traversal (encoded)"},
                    PathCase{std::string("a\0b", 3), "Path contains null byte"},
                    PathCase{"a\nb", "control character"}, PathCase{"a\x7f", "control character"},
                    PathCase{"", "empty"}, PathCase{"~root/x", "another user's home"},
                    PathCase{std::string(4096, 'a'), ""}, PathCase{std::string(4097, 'a'), "Path too long (>4096)"}));

TEST(Values, VariableNames) {
    EXPECT_TRUE(check_variable_name("PATH", false));
    EXPECT_TRUE(check_variable_name("_x9", false));
    EXPECT_TRUE(check_variable_name("NPM_*", true));
    for (const char* wrong : {"", "9A", "A=B", "A-B", "NPM_*", "*", "A B"}) {
        EXPECT_FALSE(check_variable_name(wrong, false)) << wrong;
    }
    EXPECT_FALSE(check_variable_name("*", true));
    EXPECT_FALSE(check_variable_name("A*B", true));
}

}  // namespace
}  // namespace sbx
