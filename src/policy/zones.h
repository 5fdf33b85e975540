// Which paths a policy may name at all. Pure: works on paths that were resolved before.
//
// The zones say what may be *granted*; they mount nothing. plan/build calls check_worktree() for the
// folder that it chose and check_grant() for every entry of allowedReadPaths, allowedWritePaths,
// toolchains and repoRoot, before it makes mounts of them.
#pragma once

#include <string>

#include "host/facts.h"
#include "policy/policy.h"
#include "util/result.h"

namespace sbx {

enum class PathUse { Read, Write };
enum class Zone { Denied, Safe, Restricted, Outside };

struct ZoneAnswer {
    Zone zone = Zone::Outside;
    std::string rule;   ///< what decided: a pattern or a folder; "" for Outside
    Origin origin;      ///< where that rule was written
};

/// The zone of `resolved` (absolute, canonical). What denies wins over every folder; then the most
/// permissive folder counts. What the policy itself grants counts as a zone (C4).
ZoneAnswer classify(const Policy& policy, const HostFacts& facts, const std::string& resolved);

/// Tatu's check_read and check_write on a resolved path, for `sbx path`. Codes "denied",
/// "outside_zones", "invalid_path".
Result<void> check_path(const Policy& policy, const HostFacts& facts, const std::string& resolved, PathUse use);

/// Whether one entry of the policy may be granted; facts.paths must hold its expanded path. The
/// message starts with the entry's origin. Codes "denied", "outside_zones", "invalid_path",
/// "not_trusted".
Result<void> check_grant(const Policy& policy, const HostFacts& facts, const PathEntry& entry, PathUse use);

/// Whether `resolved` may be the worktree. `origin` is built-in when nobody named it. Code
/// "invalid_folder", "denied" or "invalid_path".
Result<void> check_worktree(const Policy& policy, const HostFacts& facts, const std::string& resolved,
                            const Origin& origin);

/// Where the caller's own sbx directories are that lie in `resolved` and must be hidden when it is
/// shown to the command read-only.
std::vector<std::string> own_directories_in(const HostFacts& facts, const std::string& resolved);

}  // namespace sbx
