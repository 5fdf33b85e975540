// Finds the repository around a directory by reading files; never runs git, which would run what the
// repository's configuration names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/facts.h"

namespace sbx {

/// The repository whose top level is `directory` or the nearest parent with a `.git` entry that is one.
/// A top level that is `home`, above it, or `/` is passed over: it would open the whole home.
std::optional<GitFacts> find_repository(const std::string& directory, const std::string& home);

/// The git directories whose files can make git run programs: the repository's own, those of its
/// modules and linked worktrees. Sorted by path.
std::vector<GitDirectory> guarded_git_directories(const GitFacts& git);

}  // namespace sbx
