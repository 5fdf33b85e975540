// Which variables the command gets. Pure.
#pragma once

#include <string>
#include <vector>

#include "host/facts.h"
#include "plan/plan.h"
#include "policy/policy.h"

namespace sbx {

/// True for a name that looks like a secret: a whole word among TOKEN, PASSWORD, ... between `_`.
bool is_secret_variable(const std::string& name);

/// True for a name that looks like a secret, or that makes programs load code (LD_PRELOAD, NODE_OPTIONS, GIT_SSH_COMMAND, ...). Such a variable is
/// passed only when the policy names it exactly.
bool is_sensitive_variable(const std::string& name);

/// The variables of the built-in list, those of `[sandbox.env]`, and those that describe the sandbox
/// itself (HOME, PWD, TMPDIR, XDG_RUNTIME_DIR, SBX_SANDBOX). Values byte for byte, in the caller's order.
/// Names that were dropped as sensitive are added to `dropped`.
std::vector<EnvironmentEntry> plan_environment(const Policy& policy, const HostFacts& facts, const Plan& plan,
                                               std::vector<std::string>& dropped);

}  // namespace sbx
