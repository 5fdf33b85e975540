// Which parts of this Linux system a command may read.
#pragma once

#include "host/facts.h"
#include "policy/policy.h"
#include "util/result.h"

namespace sbx {

/// Fills facts.system, facts.linux_.system_hidden and facts.linux_.etc_targets, and adds the links that lead
/// to the latter to facts.links.
/// Error: "scan_limit" when, as root, there is too much in /etc to look through.
Result<void> gather_system_paths(const Policy& policy, HostFacts& facts);

}  // namespace sbx
