// What sbx takes from git configuration files: who the user is, and where a repository's own configuration
// makes git look for programs.
#pragma once

#include "host/facts.h"
#include "util/result.h"

namespace sbx {

/// The harmless keys of the user's global configuration ("user.name", ...) in the order of the files; a
/// later value of the same key has replaced an earlier one. Files that git itself could not read count as
/// empty, and includes are not followed.
Variables read_identity(const HostFacts& facts);

/// Fills git.hooks_paths and git.includes from the repository's configuration files and from what those
/// include, resolved as git does, and adds each of them to facts.paths. Error: "setup_failed" when there are too many to guard.
Result<void> read_repository_config(GitFacts& git, HostFacts& facts);

}  // namespace sbx
