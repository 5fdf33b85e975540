// The steps that `run` and `explain` share: caller, policy, machine, plan.
#pragma once

#include <memory>

#include "cli/parse.h"
#include "plan/build.h"
#include "policy/load.h"
#include "run/early_start.h"

namespace sbx::cli {

struct Prepared {
    HostFacts facts;       ///< complete only when `loaded.errors` is empty
    LoadedPolicy loaded;
    std::shared_ptr<EarlyStart> early;  ///< for run_plan(); null unless the plan is to be run
};

/// Changes into --folder, asks the machine who is calling, loads the policy, and when that has no
/// errors asks the machine what the policy needs. `to_run`: the plan is run at once, and not shown.
Result<Prepared> prepare(const Arguments& arguments, bool to_run = false);

/// The plan for `command`; the notes of the policy come first in its notes. `for_showing`: a backend that
/// --backend names is shown although this machine may not have it.
Result<Plan> plan_of(const Prepared& prepared, const Arguments& arguments, const std::vector<std::string>& command,
                     bool for_showing = false);

}  // namespace sbx::cli
