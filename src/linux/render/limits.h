// Which means enforces which limit on this machine. Pure.
#pragma once

#include <string>

#include "host/facts.h"
#include "linux/render/inner_block.h"
#include "plan/plan.h"
#include "util/result.h"

namespace sbx {

/// Processes of sbx's own in the control group of a run: bwrap's monitor and the inner stage.
constexpr int64_t kOwnProcesses = 2;

/// True when a group of the unified hierarchy can be made with this controller.
bool has_controller(const HostFacts& facts, const std::string& name);

/// The resource limits that the inner stage sets. Error: "limit_unavailable" for a limit on the processes of
/// root where no control group can count them: the kernel does not limit root by RLIMIT_NPROC.
Result<void> add_resource_limits(const Plan& plan, const HostFacts& facts, InnerSettings& inner);

/// How many CPUs the run is bound to for lack of a control group; 0: no bound.
size_t bound_cpus(const Plan& plan, const HostFacts& facts);

}  // namespace sbx
