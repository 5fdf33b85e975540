// Which of the Plan's mounts a VM gets, and how the tool has to be told. Pure.
#pragma once

#include "vm/render/container.h"

namespace sbx::vm {

/// The general mapping: the worktree, its repository and the grants at their own paths, then pins,
/// guards and masks. System folders and toolchains of the host mean nothing in a Linux guest.
Result<void> add_plan_mounts(const Plan& plan, ContainerLaunch& launch);

/// One folder. Errors: "invalid_path" for a path that cannot be written in a --mount option or would
/// cover the guest's own system.
Result<void> add_folder(const std::string& source, const std::string& destination, Access access,
                        ContainerLaunch& launch);

/// True when `path` lies in a folder that add_plan_mounts() shares.
bool is_shared(const Plan& plan, const std::string& path);

}  // namespace sbx::vm
