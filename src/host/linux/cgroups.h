// Control groups that this process may make groups of its own in.
#pragma once

#include "host/facts.h"
#include "policy/policy.h"

namespace sbx {

/// Fills facts.linux_.cgroup, .controllers and .pids_cgroup when `policy` has a limit that they can enforce;
/// reads nothing otherwise.
void find_cgroups(const Policy& policy, HostFacts& facts);

}  // namespace sbx
