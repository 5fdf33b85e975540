// What each platform's folder provides to run_plan().
#pragma once

#include "host/facts.h"
#include "plan/plan.h"
#include "run/outcome.h"
#include "run/run.h"

namespace sbx {

/// Runs `plan` with the backend it names and returns when nothing of it is left.
Outcome run_with_backend(const Plan& plan, const HostFacts& facts, const RunOptions& options);

/// The command without any sandbox: only for Backend::Native, which a policy must have asked for.
Outcome run_native(const Plan& plan, const RunOptions& options);

}  // namespace sbx
