// What the inner stage puts on itself before the command exists: the command inherits it.
#pragma once

#include "linux/inner/block_view.h"

namespace sbx::inner {

/// Names the step that failed; nullptr when all succeeded. errno says why.
using Failure = const char*;

/// Verifies that bwrap left no capability and no way to gain one.
Failure verify_privileges();

/// Puts the caller's descriptors back on 0 to 2 and closes everything but them, the kept ones and
/// `socket`.
Failure arrange_descriptors(const BlockView& block, int socket);

/// Landlock rules of the block, and one for each of the descriptors 0 to 2 with the mode it has, so
/// that reopening it through /proc/self/fd gives nothing more.
Failure restrict_files(const BlockView& block);

/// The seccomp programs of the block.
Failure restrict_system_calls(const BlockView& block);

}  // namespace sbx::inner
