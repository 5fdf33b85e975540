// Looking at paths: what they are and where they really lead. Reads only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/facts.h"

namespace sbx {

/// Canonical form of an existing path; nullopt with errno when it cannot be had.
std::optional<std::string> real_path(const std::string& path);

/// Canonical form of an existing path, as real_path() gives it; every symbolic link on the way is added to
/// `links`, each with its own canonical place and its text. One readlink a component.
std::optional<std::string> walk_path(const std::string& path, std::vector<SystemPath>& links);

/// All there is to know of `path` (absolute). A missing path is resolved as far as it exists.
PathFacts look_at(const std::string& path);

/// The kind of `path` itself, not following a link.
FileKind kind_of(const std::string& path);

/// The text of a symbolic link; "" when it is none.
std::string link_text(const std::string& path);

/// Small file at `path`, without following a link in the last component; nullopt when it is missing,
/// not a regular file, or larger than `limit`.
std::optional<std::string> small_file(const std::string& path, size_t limit);

}  // namespace sbx
