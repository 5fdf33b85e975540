// The redactor for one run's own output.
#pragma once

#include "host/facts.h"
#include "plan/plan.h"
#include "policy/redact.h"

namespace sbx::cli {

/// Knows the secret-looking variables of the caller and of the plan, and the values of the worktree's .env.
Redactor redactor_for(const HostFacts& facts, const Plan& plan);

}  // namespace sbx::cli
