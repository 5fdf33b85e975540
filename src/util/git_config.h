// As much of git's configuration syntax as it takes to tell harmless settings from dangerous ones. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sbx {

struct GitConfigEntry {
    std::string section;      ///< lower case
    std::string subsection;   ///< as written between the quotes
    std::string name;         ///< lower case
    std::string value;        ///< raw text after `=`, trimmed; quotes and escapes are left as they are

    bool operator==(const GitConfigEntry& other) const = default;
};

/// The entries in order. nullopt for text that is not plain: continuation lines, several settings on
/// one line, old-style subsections, control characters. The caller must then expect the worst.
std::optional<std::vector<GitConfigEntry>> parse_git_config(std::string_view text);

/// True for settings that cannot make git run a program or read other files: identity, branches,
/// remotes with ordinary URLs, and what `git init` writes.
bool is_harmless(const GitConfigEntry& entry);

/// True when `after` differs from `before` in harmless settings only.
bool only_harmless_changes(std::string_view before, std::string_view after);

}  // namespace sbx
