#include "host/scan_patterns.h"

#include <gtest/gtest.h>

#include <random>

#include "policy/patterns.h"
#include "util/text.h"

namespace sbx {
namespace {

NameEntry named(const char* text) { return {text, Origin::flag("test")}; }

struct Row {
    const char* parent;
    const char* name;
    const char* pattern;  ///< nullptr: not hidden
};

std::string found(const ScanPatterns& patterns, const char* parent, const char* name) {
    const std::string* pattern = patterns.match(parent, name);
    return pattern == nullptr ? "" : *pattern;
}

TEST(ScanPatterns, C7BuiltInPatterns) {
    const Row rows[] = {
        {"/w", ".env", ".env*"},
        {"/w/a/b", ".env.production", ".env*"},
        {"/w", ".ENV", ".env*"},
        {"/w", ".envrc", nullptr},
        {"/w", "x.env", nullptr},
        {"/w", ".env.example", nullptr},
        {"/w", ".env.Sample", nullptr},
        {"/w", "server.key", "*.key"},
        {"/w", "SERVER.PEM", "*.pem"},
        {"/w", ".key", "*.key"},
        {"/w", "key", nullptr},
        {"/w", "a.keys", nullptr},
        {"/w", "known_hosts", "known_hosts"},
        {"/w", "known_hosts2", nullptr},
        {"/w", "Authorized_Keys", "authorized_keys"},
        {"/w", ".ssh", ".ssh/*"},
        {"/w/x", ".aws", ".aws/*"},
        {"/w", ".git", nullptr},
        {"/w", "ssh", nullptr},
        {"/w", "", nullptr},
    };
    ScanPatterns patterns{Zones()};
    for (const Row& row : rows) {
        EXPECT_EQ(found(patterns, row.parent, row.name), row.pattern == nullptr ? "" : row.pattern)
            << row.parent << " " << row.name;
    }
}

TEST(ScanPatterns, C7SlashesMatchConsecutiveComponents) {
    Zones zones;
    for (const char* text : {"config/secrets.*", "a/*/z", "Deploy/*", "*token*", "k?y"}) {
        zones.denied.push_back(named(text));
    }
    ScanPatterns patterns(zones);
    const Row rows[] = {
        {"/w/config", "secrets.yml", "config/secrets.*"},
        {"/w/x/Config", "Secrets.json", "config/secrets.*"},
        {"/w/config/x", "secrets.yml", nullptr},
        {"/w/myconfig", "secrets.yml", nullptr},
        {"/w/a/b", "z", "a/*/z"},
        {"/w/a/b/c", "z", nullptr},
        {"/a", "z", nullptr},
        {"/w", "deploy", "Deploy/*"},
        {"/w", "my-token-1", "*token*"},
        {"/w", "key", "k?y"},
        {"/w", "keey", nullptr},
    };
    for (const Row& row : rows) {
        EXPECT_EQ(found(patterns, row.parent, row.name), row.pattern == nullptr ? "" : row.pattern)
            << row.parent << " " << row.name;
    }
}

TEST(ScanPatterns, H11ExemptionsAndNamedDirenvFiles) {
    Zones zones;
    zones.denied.push_back(named(".envrc"));
    zones.exempt.push_back(named("test-*.pem"));
    ScanPatterns patterns(zones);
    EXPECT_EQ(found(patterns, "/w", ".envrc"), ".envrc");
    EXPECT_EQ(found(patterns, "/w", "Test-1.pem"), "");
    EXPECT_EQ(found(patterns, "/w", "1.pem"), "*.pem");
}

TEST(ScanPatterns, C5GitOnlyOnRequest) {
    Zones zones;
    zones.mask_git.value = true;
    EXPECT_EQ(found(ScanPatterns(zones), "/w", ".git"), ".git/*");
}

TEST(ScanPatterns, AgreesWithTheRuleOfThePolicy) {
    std::mt19937 random(7);
    auto pick = [&](size_t n) { return static_cast<size_t>(random() % n); };
    const char* const parts[] = {"a", "B", "*", "a*", "*b", "?", "a?b", ".env", "x.pem", ".env.example"};
    for (int round = 0; round < 3000; ++round) {
        Zones zones;
        for (size_t i = pick(4); i-- > 0;) {
            std::string text = parts[pick(10)];
            for (size_t more = pick(3); more-- > 0;) {
                text += std::string("/") + parts[pick(10)];
            }
            zones.denied.push_back(named(text.c_str()));
        }
        ScanPatterns patterns(zones);
        const char* const names[] = {"a", "b", "ab", "axb", ".env", "X.PEM", ".env.example", ".ssh"};
        std::string parent = "/";
        bool above = false;  // a walk never gets below a match
        for (size_t depth = pick(4); depth-- > 0;) {
            parent += std::string(parent == "/" ? "" : "/") + names[pick(8)];
        }
        std::string name = names[pick(8)];
        std::string directory = parent == "/" ? "" : parent;
        std::vector<DeniedPattern> all = mask_patterns(zones);
        above = denying_pattern(zones, all, parent) != nullptr;
        if (above) {
            continue;
        }
        const DeniedPattern* expected = denying_pattern(zones, all, parent == "/" ? "/" + name : parent + "/" + name);
        EXPECT_EQ(found(patterns, directory.c_str(), name.c_str()), expected == nullptr ? "" : expected->text)
            << directory << "/" << name;
    }
}

}  // namespace
}  // namespace sbx
