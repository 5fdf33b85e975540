// What runs left behind and nobody has accepted or dropped yet: one file for each run and root, in the
// user's state directory.
#pragma once

#include <string>
#include <vector>

#include "hold/snapshot.h"
#include "util/result.h"

namespace sbx::hold {

/// The changes of one run in one root. A path in `before` only was removed, in `after` only was created.
struct Held {
    std::string file;  ///< where this is kept; empty: not yet
    std::string root;  ///< absolute
    std::string time;  ///< "2026-12-01 13:05:07"
    Snapshot before;
    Snapshot after;

    /// Every path that differs, sorted.
    std::vector<std::string> paths() const;
};

/// Makes the directory with all above it, for this user only. False and errno when that fails.
bool make_directories(const std::string& path);

/// Writes `held` below STATE/held, made when missing, so that it is on the disk when this returns.
Result<void> save(const std::string& state_directory, Held& held);

/// Writes a changed `held` back; removes its file when nothing is left in it.
Result<void> update(const std::string& state_directory, const Held& held);

/// All that is held, oldest first; only what lies in or above `below` unless that is "".
Result<std::vector<Held>> load(const std::string& state_directory, const std::string& below);

}  // namespace sbx::hold
