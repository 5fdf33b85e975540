// What the caller had set up and the command must find again: signals, descriptors 0 to 2, umask.
#pragma once

#include <cstdint>
#include <vector>

#include "util/result.h"

namespace sbx {

struct CallerState {
    uint64_t signal_mask = 0;       ///< bit n-1: signal n was blocked
    uint64_t ignored_signals = 0;   ///< bit n-1: signal n was ignored
    bool stdio_open[3] = {true, true, true};
    uint32_t umask = 022;
};

/// Records the caller's state, then blocks every signal and makes SIGCHLD default: bwrap waits for ever
/// when it is ignored (bubblewrap#705), and leaves the owner's rights out of the umask. Closed standard streams are opened on /dev/null in this process
/// so that no later descriptor lands on 0 to 2.
/// Error "bad_descriptor": a standard stream is a directory, an O_PATH descriptor or a block device,
/// each of which would be a way around the mounts.
Result<CallerState> take_caller_state();

/// The same check for descriptors that the command keeps.
Result<void> check_descriptor(int fd);

}  // namespace sbx
