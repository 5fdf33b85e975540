// Which variables a guest gets, and on which way. Pure.
#pragma once

#include "vm/render/container.h"

namespace sbx::vm {

/// LANG, LC_*, CI and TERM of the caller, and what the policy itself names: the host's PATH, HOME and
/// npm_* mean nothing in a guest (C37). HOME is `home` unless the policy sets it.
/// Error "vm_environment": a name that init keeps for itself, or that the tool cannot be told.
Result<void> add_environment(const Plan& plan, const std::string& home, ContainerLaunch& launch);

}  // namespace sbx::vm
