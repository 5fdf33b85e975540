// The man pages and completions know every command, flag and key, and no flag that does not exist.
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "cli/flags.h"
#include "hold/names.h"
#include "policy/schema.h"

namespace sbx::cli {
namespace {

std::string read(const std::string& name) {
    std::ostringstream text;
    text << std::ifstream(SBX_SOURCE_DIR "/" + name, std::ios::binary).rdbuf();
    EXPECT_FALSE(text.str().empty()) << name;
    return text.str();
}

/// The part of a man page from `.Ss sbx NAME` to the next section.
std::string section(const std::string& page, const std::string& name) {
    size_t start = page.find("\n.Ss sbx " + name + "\n");
    EXPECT_NE(start, std::string::npos) << name;
    size_t end = page.find("\n.S", start + 2);
    return start == std::string::npos ? "" : page.substr(start, end - start);
}

bool has_word(const std::string& text, const std::string& word) {
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        char next = at + word.size() < text.size() ? text[at + word.size()] : ' ';
        if (next != '-' && !(next >= 'a' && next <= 'z')) {
            return true;
        }
    }
    return false;
}

TEST(Docs, ManPageHasEveryCommandAndFlag) {
    std::string page = read("man/sbx.1");
    for (const Command& command : commands()) {
        std::string part = section(page, std::string(command.name));
        EXPECT_TRUE(has_word(page, ".Cm " + std::string(command.name)));
        for (const Flag& flag : command.flags) {
            EXPECT_TRUE(has_word(part, ".It Fl " + std::string(flag.name.substr(1)))) << command.name << flag.name;
        }
    }
}

TEST(Docs, NameEveryGuardedFile) {  // guards.handover, guards.instructions
    std::string page = std::regex_replace(read("man/sbx.toml.5"), std::regex("\\\\[-&]"), "-");
    page = std::regex_replace(page, std::regex("in -?\\.github/: copilot-instructions.md, instructions/, prompts/, agents/, "
                                               "chatmodes/, skills/"),
                              ".github/copilot-instructions.md .github/instructions .github/prompts .github/agents "
                              ".github/chatmodes .github/skills");
    std::string list = read("docs/held.md");
    auto check = [&](const std::string& name) {
        bool family = name.rfind("lefthook", 0) == 0 || name.rfind(".lefthook", 0) == 0;
        bool folded = name.find(".md") != std::string::npos && name.front() >= 'a' && name.front() <= 'z';
        if (family || folded) {  // once, as "also ..."
            return;
        }
        EXPECT_TRUE(has_word(list, "`" + name)) << name;
        EXPECT_TRUE(has_word(page, name)) << name;
    };
    for (const std::string& name : hold::handover_paths()) {
        check(name);
    }
    for (const std::string& name : hold::instruction_paths()) {
        check(name);
    }
}

TEST(Docs, ManPageHasNoOtherFlag) {
    std::string page = read("man/sbx.1");
    for (const Command& command : commands()) {
        std::string part = section(page, std::string(command.name));
        std::regex item("\n\\.It Fl (-[a-z0-9-]+)");
        for (std::sregex_iterator it(part.begin(), part.end(), item), end; it != end; ++it) {
            EXPECT_NE(find_flag(command, "-" + (*it)[1].str()), nullptr) << command.name << " " << (*it)[1];
        }
    }
}

TEST(Docs, CompletionsHaveEveryCommandAndFlag) {
    for (const char* name : {"completions/sbx.bash", "completions/_sbx", "completions/sbx.fish"}) {
        std::string text = read(name);
        bool fish = std::string(name).find("fish") != std::string::npos;
        for (const Command& command : commands()) {
            EXPECT_TRUE(has_word(text, std::string(command.name))) << name << " " << command.name;
            for (const Flag& flag : command.flags) {
                std::string wanted = fish ? "__sbx_in " + std::string(command.name) + "' -l " +
                                                std::string(flag.name.substr(2))
                                          : std::string(flag.name);
                EXPECT_TRUE(has_word(text, wanted)) << name << " " << command.name << " " << flag.name;
            }
        }
    }
}

// F27
TEST(Docs, PolicyPageHasEveryKeyAndNoOther) {
    std::string page = std::regex_replace(read("man/sbx.toml.5"), std::regex("\\\\-"), "-");
    std::set<std::string> documented;
    std::regex item("\n\\.It Li ([A-Za-z0-9.]+)\n");
    for (std::sregex_iterator it(page.begin(), page.end(), item), end; it != end; ++it) {
        documented.insert((*it)[1].str());
    }
    for (const Key& key : schema()) {
        EXPECT_EQ(documented.erase(std::string(key.name)), 1U) << key.name;
        if (!key.default_text.empty()) {
            size_t at = page.find("\n.It Li " + std::string(key.name) + "\n");
            size_t end = page.find("\n.It Li ", at + 1);
            EXPECT_NE(page.substr(at, end - at).find("Default: " + std::string(key.default_text)), std::string::npos)
                << key.name;
        }
    }
    EXPECT_TRUE(documented.empty()) << *documented.begin();
}

}  // namespace
}  // namespace sbx::cli
