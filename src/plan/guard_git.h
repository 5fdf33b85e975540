// What makes git run programs, or look for its settings elsewhere, is not the command's to change. Pure.
#pragma once

#include "plan/protector.h"
#include "policy/policy.h"

namespace sbx {

/// Guards the git directories of the worktree's repository, and names what must stand in for guarded
/// files that do not exist (plan.placeholders).
void guard_git(const Policy& policy, const HostFacts& facts, bool allow_git_config, Plan& plan, Protector& protector);

}  // namespace sbx
