// Makes the protective mounts. Runs inside SandboxEntry::run().
#pragma once

#include <functional>
#include <vector>

#include "linux/render/protective.h"
#include "util/result.h"

namespace sbx {

/// Mounts each of `mounts` for which `wanted` says so, in order. Error "changed_meanwhile": something is not
/// what the plan says any more; "setup_failed": the kernel refused.
Result<void> make_protective(const std::vector<ProtectiveMount>& mounts,
                             const std::function<bool(size_t index)>& wanted);

/// What became of a mount.
enum class Protection { Intact, Gone, Exposed };

/// Intact: still mounted where it belongs. Gone: nothing is there. Exposed: something is, uncovered.
Protection look_at_protection(const ProtectiveMount& mount);

}  // namespace sbx
