// Puts a home that is kept below what bwrap has mounted in an empty one.
#pragma once

#include "linux/render/protective.h"
#include "util/result.h"

namespace sbx {

/// Runs inside SandboxEntry::run(). The home's content is the work of earlier commands, and another one may
/// be changing it: no link in it is followed, and nothing that is there is removed. Places that are
/// missing are made. Error "setup_failed": the kernel refused, or something in the home is in the way.
Result<void> put_home_below(const ProtectiveMount& home);

}  // namespace sbx
