// How a run ended, before anything is printed.
#pragma once

#include <string>

#include "util/result.h"

namespace sbx {

struct Outcome {
    enum class Kind {
        Exited,         ///< `value`: exit status of the command
        Signalled,      ///< `value`: the signal that killed it
        TimedOut,       ///< limits.timeout
        NotFound,       ///< the command does not exist
        NotExecutable,  ///< it exists and cannot be run
        Failed          ///< sbx or the backend failed; the command may not have run
    };
    Kind kind = Kind::Failed;
    int value = 0;
    Error error;        ///< for all but Exited and Signalled

    static Outcome failed(Error error) { return {Kind::Failed, 0, std::move(error)}; }
};

/// The status that a shell would show: 124 to 127 for sbx's own, 128+n for a signal.
int exit_status(const Outcome& outcome);

/// Ends this process as `outcome` says: exits, or dies of the command's signal with no core file.
/// As process 1, which default actions do not kill, it exits with 128+n.
[[noreturn]] void finish(const Outcome& outcome);

}  // namespace sbx
