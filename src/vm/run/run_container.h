// The container backend.
#pragma once

#include <string>
#include <vector>

#include "host/facts.h"
#include "plan/plan.h"
#include "run/outcome.h"
#include "run/run.h"

namespace sbx {

/// Runs the plan's command in a VM of its own and returns when that VM is deleted. Prints nothing but
/// the notes of the launch. Refuses, before anything is started, when the tool, its version or the
/// image is not there.
Outcome run_container(const Plan& plan, const HostFacts& facts, const RunOptions& options);

/// `sbx vm pull`: fetches the policy's image, with the tool's own progress on the terminal. Returns
/// sbx's exit status; prints its failures.
int pull_image(const Setting<std::string>& image, const HostFacts& facts);

/// `sbx selftest web|files|all`: runs each profile once with `policy`'s image and judges what the guest
/// reports. Writes the checks to stdout; returns 0 when all passed, 1 when one failed, 125 when a guest
/// could not be started.
int selftest_container(const std::vector<VmProfile>& profiles, const VmPolicy& policy,
                       const HostFacts& facts);

}  // namespace sbx
