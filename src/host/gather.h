// Asks the machine everything that the plan needs to know. Reads only; starts no process.
#pragma once

#include "host/facts.h"
#include "policy/policy.h"
#include "util/result.h"

namespace sbx {

/// Who and where the caller is: platform, ids, cwd, home, environment, terminal, sbx's own directories.
/// Needs no policy, so that the policy files can be found with it.
/// Error: "cwd_missing" when the current directory is gone.
Result<HostFacts> gather_caller();

/// Resolves the paths that `policy` names: what check_grants() needs.
void resolve_policy_paths(const Policy& policy, HostFacts& facts);

/// Adds to `facts` what `policy` makes relevant: paths resolved, the repository, the mask and guard
/// scan, toolchains, backends. Errors: "scan_limit", "io".
Result<void> gather_for_policy(const Policy& policy, HostFacts& facts);

/// The absolute, lexically normalised form of a policy path: `~` is expanded, a relative text starts
/// at its base. This is the key of HostFacts::paths. Pure.
std::string expand_path(const PathEntry& entry, const HostFacts& facts);

}  // namespace sbx
