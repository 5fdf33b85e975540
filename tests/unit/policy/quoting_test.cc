// Which parts of a policy's lines a message may show (T90).
#include "policy/quoting.h"

#include <gtest/gtest.h>

namespace sbx {
namespace {

struct Case {
    const char* text;
    uint32_t line;
    const char* shown;
};

class Quoting : public testing::TestWithParam<Case> {};

TEST_P(Quoting, ShowsNoValueOfAVariable) {
    QuotedLine line = LineQuoter(GetParam().text)(GetParam().line, 200);
    EXPECT_EQ(line.text, GetParam().shown);
}

const Case kCases[] = {
    {"[sandbox]\nbackend = \"x\"", 2, "backend = \"x\""},
    {"[sandbox]\r\nbackend = \"x\"\r\n", 2, "backend = \"x\""},
    {"sandbox.backend = \"x\"", 1, "sandbox.backend = \"x\""},
    {"[ \"sandbox\" ]\n read = [\n  \"/a\",\n]", 3, "  \"/a\","},
    {"[sandbox.env]\nset = { TOKEN = \"s3cret\" }", 2, "set = ..."},
    {"[sandbox.env]\nTOKEN = \"s3cret\"", 2, "TOKEN = ..."},
    {"[sandbox.env]\nTOKEN = s3cret", 2, "TOKEN = ..."},
    {"[sandbox.env.set]\n  TOKEN=\"s3cret\"", 2, "  TOKEN=..."},
    {"[sandbox.env.set]\nTOKEN = \"\"\"\ns3cret\n\"\"\"", 3, ""},
    {"[env]\nset.TOKEN = \"s3cret\"", 2, "set.TOKEN = ..."},
    {"[sandbox]\nset = { TOKEN = \"s3cret\" }", 2, "set = ..."},
    {"sandbox = { env = { set = { TOKEN = \"s3cret\" } } }", 1, "sandbox = ..."},
    {"[sandbox.env]\npass = [\"CI\", 5]", 2, "pass = [\"CI\", 5]"},
    {"[sandbox.env]\npass = [\"TOKEN=s3cret\"]", 2, "pass = ..."},
    {"[sandbox.env]\npass = [\n  \"TOKEN=s3cret\"]", 3, "  \"TOKEN=..."},
    {"[sandbox.env] TOKEN = \"s3cret\"", 1, "[sandbox.env] ..."},
    {"[sandbox.env", 1, ""},
    {"[[limits]] ", 1, "[[limits]] "},
    {"[[vm.folders]]\nid = \"x\"", 2, "id = \"x\""},
    {"# TOKEN = s3cret", 1, ""},
    {"", 1, ""},
    {"a", 7, ""},
};

INSTANTIATE_TEST_SUITE_P(Lines, Quoting, testing::ValuesIn(kCases));

TEST(QuotingCaret, StaysOnTheLine) {
    LineQuoter quote("TOKEN = \"s3cret\"");
    EXPECT_EQ(quote(1, 1).column, 1U);
    EXPECT_EQ(quote(1, 9).column, 9U);
    EXPECT_EQ(quote(1, 14).column, 9U);
}

TEST(QuotingLength, LongLinesAreNotShown) {
    std::string text = "extends = [\"" + std::string(200, 'a') + "\"]";
    EXPECT_EQ(LineQuoter(text)(1, 1).text, "");
}

}  // namespace
}  // namespace sbx
