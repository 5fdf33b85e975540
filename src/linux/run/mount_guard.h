// Keeps the protective mounts in place while the command runs.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "linux/render/protective.h"
#include "linux/run/sandbox_entry.h"
#include "util/fd.h"
#include "util/result.h"

namespace sbx {

class MountGuard {
  public:
    explicit MountGuard(const std::vector<ProtectiveMount>& mounts) : mounts_(mounts) {}

    /// Mounts everything; the command must not run yet. `inner`: process 1 of the sandbox.
    Result<void> prepare(pid_t inner);

  private:
    const std::vector<ProtectiveMount>& mounts_;
    std::optional<SandboxEntry> entry_;
};

}  // namespace sbx
