// Hand-over files and instructions that exist become read-only, where the policy wants more than to have
// what the command made of them held at the end. Pure.
#pragma once

#include "plan/protector.h"
#include "policy/policy.h"

namespace sbx {

/// Whether the instructions of agents (AGENTS.md and the like) are guarded in this run.
bool guards_instructions(const Policy& policy, const Plan& plan);

/// guards.handover = "protect": every existing hand-over file of a writable root, and what it leads to if it
/// is a link (facts.paths holds those). guards.instructions: the same for agents' instructions.
void guard_handover(const Policy& policy, const HostFacts& facts, const Plan& plan, Protector& protector);

}  // namespace sbx
