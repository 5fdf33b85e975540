// Starts the command as a child of the inner stage.
#pragma once

#include <sys/types.h>

#include "linux/inner/block_view.h"

namespace sbx::inner {

/// Why the command could not be started.
struct StartFailure {
    int error = 0;             ///< errno of the last step
    bool executing = false;    ///< false: a step before execve failed, `text` names it
    char text[248] = {};       ///< the missing interpreter, or the step
};

/// Forks and runs the command with the caller's signal mask, ignored signals, limits and umask.
/// Returns its process id once execve succeeded, or -1 and `failure`.
pid_t start_command(const BlockView& block, StartFailure& failure);

}  // namespace sbx::inner
