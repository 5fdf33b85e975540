// The sandbox-exec backend, start to end.
#pragma once

#include <string>

#include "host/facts.h"
#include "plan/plan.h"
#include "run/outcome.h"
#include "run/run.h"

namespace sbx {

/// The system's tools. The product uses the defaults, absolute and never looked for in PATH; tests bring
/// stand-ins.
struct SeatbeltTools {
    std::string sandbox_exec = "/usr/bin/sandbox-exec";
    std::string probe = "/usr/bin/true";
    std::string log = "/usr/bin/log";
};

Outcome run_seatbelt(const Plan& plan, const HostFacts& facts, const RunOptions& options,
                     const SeatbeltTools& tools = {});

}  // namespace sbx
