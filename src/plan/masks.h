// Files that hold secrets, below what the policy grants. Pure.
#pragma once

#include "plan/protector.h"
#include "policy/policy.h"
#include "util/result.h"

namespace sbx {

/// Hides what the scan found (facts.scan), and notes what it cannot or does not hide.
/// Error "scan_limit": the scan ended early and the policy does not accept that; "scan_incomplete": a
/// tainted run with directories that could not be read.
Result<void> add_masks(const Policy& policy, const HostFacts& facts, Plan& plan, Protector& protector);

}  // namespace sbx
