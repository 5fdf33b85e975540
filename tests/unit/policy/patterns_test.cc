#include "policy/patterns.h"

#include <gtest/gtest.h>

namespace sbx {
namespace {

struct PatternCase {
    const char* pattern;
    const char* path;
    bool denies;
};

class Patterns : public testing::TestWithParam<PatternCase> {};

TEST_P(Patterns, C7) {
    Zones zones;
    EXPECT_EQ(pattern_denies(zones, GetParam().pattern, GetParam().path), GetParam().denies)
        << GetParam().pattern << " " << GetParam().path;
}

INSTANTIATE_TEST_SUITE_P(
    Rules, Patterns,
    testing::Values(PatternCase{"*.pem", "/a/b.pem", true}, PatternCase{"*.pem", "/a/b.pem/c", true},
                    PatternCase{"*.pem", "/a/b.pem.txt", false}, PatternCase{"*.PEM", "/a/B.pem", true},
                    PatternCase{".env*", "/a/.env", true}, PatternCase{".env*", "/a/.env.local", true},
                    PatternCase{".env*", "/a/.envrc", true}, PatternCase{".env*", "/a/x.env", false},
                    PatternCase{".env*", "/a/.env.example", false}, PatternCase{".env*", "/a/.ENV.Example", false},
                    PatternCase{".env*", "/a/.env.example/.env", true}, PatternCase{".ssh/*", "/h/.ssh", true},
                    PatternCase{".ssh/*", "/h/.ssh/id_rsa", true}, PatternCase{".ssh/*", "/h/.ssh/a/b", true},
                    PatternCase{".ssh/*", "/h/.SSH/id_rsa", true}, PatternCase{".ssh/*", "/h/x.ssh/a", false},
                    PatternCase{".git/*", "/p/.git/config", true}, PatternCase{".git/*", "/p/.gitignore", false},
                    PatternCase{"a/*.txt", "/a/x.txt", true}, PatternCase{"a/*.txt", "/a/b/x.txt", false},
                    PatternCase{"a/b", "/x/a/b/c", true}, PatternCase{"a/b", "/x/a/c/b", false},
                    PatternCase{"known_hosts", "/a/known_hosts", true},
                    PatternCase{"authorized_keys", "/a/authorized_keys2", false}, PatternCase{"/", "/a", false},
                    PatternCase{"*", "/a", true}));

TEST(Patterns, AllEightOfTatu) {  // H11
    Zones zones;
    std::vector<std::string> texts;
    for (const DeniedPattern& pattern : denied_patterns(zones)) {
        texts.push_back(pattern.text);
    }
    EXPECT_EQ(texts, (std::vector<std::string>{".ssh/*", ".aws/*", ".git/*", "*.key", "*.pem", ".env*", "known_hosts",
                                               "authorized_keys"}));
}

TEST(Patterns, GitIsMaskedOnlyOnRequest) {  // C5
    Zones zones;
    auto masks_git = [&] {
        std::vector<DeniedPattern> patterns = mask_patterns(zones);
        return denying_pattern(zones, patterns, "/p/.git/config") != nullptr;
    };
    EXPECT_FALSE(masks_git());
    zones.mask_git.value = true;
    EXPECT_TRUE(masks_git());
}

TEST(Patterns, UserPatternsAndExemptions) {
    Zones zones;
    zones.denied.push_back({"*.p12", Origin::flag("x")});
    zones.exempt.push_back({"public.pem", {}});
    std::vector<DeniedPattern> patterns = denied_patterns(zones);
    ASSERT_NE(denying_pattern(zones, patterns, "/a.p12"), nullptr);
    EXPECT_EQ(denying_pattern(zones, patterns, "/a.p12")->origin.text(), "x");
    EXPECT_EQ(denying_pattern(zones, patterns, "/x/public.pem"), nullptr);
    EXPECT_NE(denying_pattern(zones, patterns, "/x/private.pem"), nullptr);
    zones.exempt.push_back({"*", {}});
    EXPECT_NE(denying_pattern(zones, patterns, "/h/.ssh/id_rsa"), nullptr) << "exemptions are for names only";
}

}  // namespace
}  // namespace sbx
