#include "policy/redact.h"

#include <gtest/gtest.h>

namespace sbx {
namespace {

TEST(Redact, ExactValuesOfEightCharactersLongestFirst) {  // P130, C33
    Redactor redact({"short", "12345678", "1234567890"});
    EXPECT_EQ(redact("a 1234567890 b 12345678 c short"), "a [redacted] b [redacted] c short");
    std::string digest(64, 'e');
    EXPECT_EQ(redact(digest), digest);
    EXPECT_EQ(Redactor()("x"), "x");
}

TEST(Redact, AMarkerThatHoldsASecretEnds) {
    EXPECT_EQ(Redactor({"redacted"})("redacted redacted"), "[redacted] [redacted]");
}

TEST(Redact, SecretsOfTheCallerAndOfDotenv) {
    HostFacts facts;
    facts.environment = {{"GITHUB_TOKEN", "ghp_abcdefgh"}, {"EDITOR", "vim-editor"}, {"DATABASE_URL", "postgres://u:p"}};
    Redactor redact(known_secrets(facts, "# c=commented1\nexport A=\"quoted value\"\nB=plainvalue \r\nC\nD=\n"));
    EXPECT_EQ(redact("ghp_abcdefgh vim-editor postgres://u:p"), "[redacted] vim-editor [redacted]");
    EXPECT_EQ(redact("quoted value; plainvalue; commented1"), "[redacted]; [redacted]; commented1");
}

}  // namespace
}  // namespace sbx
