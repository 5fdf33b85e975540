#include "util/git_harmless.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace sbx {
namespace {

constexpr std::array<const char*, 7> kHarmlessCore = {"repositoryformatversion", "filemode", "bare",
                                                      "logallrefupdates", "ignorecase", "symlinks",
                                                      "precomposeunicode"};

/// Not a remote helper (`ext::sh -c ...` runs a program) and not an option.
bool is_ordinary_url(const std::string& url) {
    return !url.empty() && url.front() != '-' && url.find("::") == std::string::npos;
}

/// What only harmless changes must leave as it is, as text that is equal when git's view is.
Result<std::string> dangerous_part(std::string_view text) {
    SBX_ASSIGN(std::vector<GitConfigEntry> entries, parse_git_config(text));
    entries.erase(std::remove_if(entries.begin(), entries.end(), is_harmless), entries.end());
    return write_git_config(entries);
}

}  // namespace

bool is_harmless(const GitConfigEntry& entry) {
    const std::string& section = entry.section;
    const std::string value = entry.value.value_or("true");
    bool has_subsection = entry.subsection.has_value();
    if (section == "core") {
        return !has_subsection &&
               std::find(kHarmlessCore.begin(), kHarmlessCore.end(), entry.name) != kHarmlessCore.end();
    }
    if (section == "user") {
        return !has_subsection;
    }
    if (section == "branch") {
        return entry.name == "merge" || (entry.name == "remote" && is_ordinary_url(value));
    }
    if (section == "remote") {
        return entry.name == "fetch" || (entry.name == "url" && is_ordinary_url(value));
    }
    return section == "extensions" && !has_subsection && entry.name == "objectformat";
}

bool only_harmless_changes(std::string_view before, std::string_view after) {
    if (before == after) {
        return true;
    }
    auto first = dangerous_part(before);
    auto second = dangerous_part(after);
    return first.ok() && second.ok() && *first == *second;
}

}  // namespace sbx
