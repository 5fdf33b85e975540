// guards.handover = "protect" on a Mac, where a rule can guard a name that is still free. Pure.
#pragma once

#include "host/facts.h"
#include "plan/plan.h"
#include "policy/policy.h"

namespace sbx {

/// Adds a guard for each name of a hand-over file (and of agents' instructions, where those are guarded)
/// in the folders where tools look first: every writable root, the folders from there to the caller's
/// directory, the top of every repository below, and every folder that holds such a file already. A new one
/// elsewhere is held at the end: rules without regular expressions cannot name "anywhere below". Not part
/// of plan.handover.read_only, so what comes to be there all the same is held too.
void add_mac_handover(const Policy& policy, const HostFacts& facts, Plan& plan);

}  // namespace sbx
