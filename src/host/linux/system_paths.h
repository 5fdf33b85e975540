// Which parts of this Linux system a command may read.
#pragma once

#include "host/facts.h"
#include "policy/policy.h"
#include "util/result.h"

namespace sbx {

/// What not every user of the machine may read below `root`, which belongs to the system; '/' at the end: a
/// directory. What cannot be looked at counts as that.
/// Error "scan_limit": there is too much to look through.
Result<std::vector<std::string>> find_private(const std::string& root);

/// Fills facts.system, facts.linux_.system_hidden (or private_roots) and facts.linux_.etc_targets, and adds the links that lead
/// to the latter to facts.links.
/// Error: "scan_limit" when, as root, there is too much in /etc to look through.
Result<void> gather_system_paths(const Policy& policy, HostFacts& facts);

}  // namespace sbx
