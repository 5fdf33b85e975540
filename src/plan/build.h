// Policy + HostFacts -> Plan. Pure.
#pragma once

#include <string>
#include <vector>

#include "host/facts.h"
#include "plan/plan.h"
#include "policy/policy.h"
#include "util/result.h"

namespace sbx {

/// The command and what only the command line can say about it.
struct Invocation {
    std::vector<std::string> argv;      ///< empty for `sbx explain`
    std::vector<int> keep_fds;
    bool allow_git_config = false;      ///< --allow-git-config: guards.git lets `git config` through once
    std::string id;                     ///< --id: which persistent home
    bool exact_backend = false;         ///< for showing it only: no fallback, whatever this machine has
};

/// Everything that the command will see, or why that cannot be had. All path, zone and guard rules of
/// the policy have been applied when this succeeds.
Result<Plan> build_plan(const Policy& policy, const HostFacts& facts, const Invocation& invocation);

}  // namespace sbx
