#include "cli/parse.h"

#include <gtest/gtest.h>

#include <set>

#include "policy/schema.h"

namespace sbx::cli {
namespace {

using Words = std::vector<std::string>;

Result<Arguments> parse(const Words& words) { return parse_arguments(*find_command("run"), words); }

TEST(Parse, TheCommandIsTakenByteForByte) {
    auto arguments = parse({"--read", "/a", "--", "--bind", "", "-x", "--", "[a,b]", "\xff"});
    ASSERT_TRUE(arguments);
    EXPECT_EQ(arguments->words, (Words{"--bind", "", "-x", "--", "[a,b]", "\xff"}));
    EXPECT_EQ(*arguments->value("--read"), "/a");
}

TEST(Parse, FlagsEndAtTheFirstWord) {
    auto arguments = parse({"--quiet", "git", "--version", "--read", "x"});
    ASSERT_TRUE(arguments);
    EXPECT_EQ(arguments->words, (Words{"git", "--version", "--read", "x"}));
    EXPECT_FALSE(arguments->has("--read"));
    EXPECT_EQ(parse({"-"})->words, (Words{"-"}));
}

TEST(Parse, UnknownFlagsAreErrors) {  // T49: never taken for the command
    for (const Words& words : {Words{"--bind"}, Words{"--bind", "ls"}, Words{"-x", "ls"}, Words{"--reed", "/a", "ls"},
                               Words{"--quiet=1", "ls"}, Words{"--rea", "/a", "ls"}}) {
        auto arguments = parse(words);
        ASSERT_FALSE(arguments) << words[0];
        EXPECT_EQ(arguments.error().code, "usage");
    }
    EXPECT_NE(parse({"--reed", "x"}).error().hint.find("--read"), std::string::npos);
    EXPECT_NE(parse({"--bind"}).error().hint.find("sbx run -- --bind"), std::string::npos);
}

TEST(Parse, ValuesOfEveryKind) {
    auto arguments = parse({"--read", "[x,y]", "--read=a=b", "--write", "-odd", "--write=--", "--profile", "", "--set-env",
                            "A=", "ls"});
    ASSERT_TRUE(arguments) << arguments.error().message;
    EXPECT_EQ(arguments->all("--read"), (Words{"[x,y]", "a=b"}));
    EXPECT_EQ(arguments->all("--write"), (Words{"-odd", "--"}));
    EXPECT_EQ(*arguments->value("--profile"), "");
    EXPECT_EQ(*arguments->value("--set-env"), "A=");
}

TEST(Parse, OrderIsKept) {
    auto arguments = parse({"--profile", "a", "--policy", "b", "--profile", "c", "ls"});
    ASSERT_TRUE(arguments);
    PolicyRequest request = policy_request(*arguments);
    ASSERT_EQ(request.named.size(), 3U);
    EXPECT_EQ(request.named[0].text, "a");
    EXPECT_EQ(request.named[1].text, "b");
    EXPECT_FALSE(request.named[1].profile);
    EXPECT_EQ(request.named[2].text, "c");
}

TEST(Parse, MissingAndDoubledValues) {
    EXPECT_FALSE(parse({"--read"}));
    EXPECT_FALSE(parse({"--network", "on", "--network", "off", "ls"}));
    EXPECT_FALSE(parse({"--tainted", "--tainted", "ls"}));
}

TEST(Parse, HelpBeforeTheCommandOnly) {
    EXPECT_TRUE(parse({"--help"})->help);
    EXPECT_TRUE(parse({"--read", "x", "-h"})->help);
    EXPECT_FALSE(parse({"ls", "--help"})->help);
}

TEST(Parse, SwitchesGiveTheirKeyAValue) {
    PolicyRequest request = policy_request(*parse({"--untrusted", "--tainted", "ls"}));
    ASSERT_EQ(request.settings.size(), 2U);
    EXPECT_EQ(request.settings[0].key, "sandbox.trust");
    EXPECT_EQ(request.settings[0].value, "untrusted");
    EXPECT_EQ(request.settings[1].value, "true");
}

TEST(Parse, ManyArguments) {
    Words words = {"--", "true"};
    words.insert(words.end(), 9001, "x");
    words.push_back(std::string(130'000, 'y'));
    EXPECT_EQ(parse(words)->words.size(), 9003U);
}

TEST(Flags, StandForKeysThatExist) {
    for (const Command& command : commands()) {
        std::set<std::string_view> names;
        for (const Flag& flag : command.flags) {
            EXPECT_TRUE(names.insert(flag.name).second) << flag.name;
            EXPECT_TRUE(flag.key.empty() || find_key(flag.key) != nullptr) << flag.name;
            EXPECT_NE(help_text(command).find(flag.name), std::string::npos);
        }
        EXPECT_NE(overview_text().find(command.name), std::string::npos);
    }
}

TEST(Flags, DescriptorNumbers) {
    EXPECT_EQ(*descriptor_number("--keep-fd", "7"), 7);
    for (const char* wrong : {"", "-1", "7x", "99999999999"}) {
        EXPECT_FALSE(descriptor_number("--keep-fd", wrong)) << wrong;
    }
}

}  // namespace
}  // namespace sbx::cli
