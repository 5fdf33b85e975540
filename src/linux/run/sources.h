// A last look at what is about to be mounted.
#pragma once

#include "plan/plan.h"
#include "util/result.h"

namespace sbx {

/// Every path that the plan binds must still be reached without a symbolic link: another sandbox with a
/// writable root around it could have put one there since the paths were resolved, and bwrap would follow
/// it. Error: "changed".
Result<void> check_sources(const Plan& plan);

}  // namespace sbx
