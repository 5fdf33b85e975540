// Reading and writing git's configuration format without running git. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "util/result.h"

namespace sbx {

/// One `name = value` of a configuration file.
struct GitConfigEntry {
    std::string section;                     ///< lower case: "core"
    std::optional<std::string> subsection;   ///< as written: "origin" of [remote "origin"]
    std::string name;                        ///< lower case: "hookspath"
    std::optional<std::string> value;        ///< unquoted; unset for a bare `name`, which means true
};

/// "section.subsection.name", as `git config --list` prints it.
std::string git_config_key(const GitConfigEntry& entry);

/// All entries of `text` in order, as git itself reads them: quotes, escapes, comments, continued lines,
/// CRLF, a byte order mark, the old [section.sub] spelling, and NUL bytes, at which git cuts keys and
/// values off. Includes are not followed.
/// Errors: "syntax" with the line number in the message, where git gives up too; "oversized" above 1 MiB.
Result<std::vector<GitConfigEntry>> parse_git_config(std::string_view text);

/// A file with these entries, which git reads back byte for byte. Entries of one section that follow
/// each other share its header.
std::string write_git_config(const std::vector<GitConfigEntry>& entries);

}  // namespace sbx
