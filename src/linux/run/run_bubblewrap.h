// The bubblewrap backend, start to end.
#pragma once

#include "host/facts.h"
#include "plan/plan.h"
#include "run/outcome.h"
#include "run/run.h"

namespace sbx {

Outcome run_bubblewrap(const Plan& plan, const HostFacts& facts, const RunOptions& options);

}  // namespace sbx
