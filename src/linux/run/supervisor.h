// Waits for the command, passes signals on, stops and continues with it, enforces the time limit.
#pragma once

#include <functional>
#include <optional>

#include "hold/reserved.h"
#include "linux/run/caller_state.h"
#include "linux/run/mount_guard.h"
#include "linux/run/spawn.h"
#include "run/outcome.h"
#include "run/status_writer.h"
#include "run/terminal.h"

namespace sbx {

struct SupervisorOptions {
    std::optional<int64_t> timeout_ms;       ///< limits.timeout
    MountGuard* guard = nullptr;             ///< prepared before the command starts, then kept in place
    /// Called with process 1's id on the host before the command may start; an error ends the run.
    std::function<Result<void>(pid_t inner)> before_release;
    const hold::ReservedNames* reserved = nullptr;  ///< the run ends when one of them is taken
    bool notes = true;                       ///< say what the guard did
    StatusWriter status{-1};
};

/// Runs until nothing of the sandbox is left; then puts `terminal` right.
/// The command is hostile and so may be the other end of `spawned.socket`: messages are checked, and
/// none of them can do more than end this run or misreport its status.
Outcome supervise(Spawned& spawned, const CallerState& caller, const SupervisorOptions& options,
                  const Terminal& terminal);

}  // namespace sbx
