// Runs a plan and keeps what it printed.
#pragma once

#include <string>

#include "host/facts.h"
#include "plan/plan.h"

namespace sbx {

struct CapturedRun {
    int status = -1;      ///< as a shell shows it
    std::string output;
    std::string errors;
};

/// With standard input on /dev/null. Lasts at most as long as plan.limits.timeout_ms says.
CapturedRun run_captured(const Plan& plan, const HostFacts& facts);

}  // namespace sbx
