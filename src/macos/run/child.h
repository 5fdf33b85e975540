// The command's process: started, watched, signalled, ended.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <functional>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "run/outcome.h"
#include "run/status_writer.h"
#include "util/fd.h"

namespace sbx {

/// The caller's signal state, which the command finds again.
struct CallerSignals {
    sigset_t mask{};
    std::vector<int> ignored;
};

/// Blocks every signal until supervise() is ready for them, and makes SIGCHLD default.
CallerSignals take_caller_signals();

/// Error "bad_descriptor": not open, or a directory or block device, which would be a way around the
/// profile (no rule is asked for what is open already).
Result<void> check_descriptor_mac(int fd);

struct ChildOptions {
    std::vector<std::string> argv;      ///< starts with the tool, absolute
    std::string mark;                   ///< of the run's processes, see processes_of_run()
    StatusWriter status{-1};
    std::function<Result<void>(pid_t)> before_start;   ///< called while the process waits; may be empty
};

/// Starts argv with the plan's environment, directory, limits and descriptors, and returns when neither
/// it nor anything else of the run is left.
Outcome run_child(const Plan& plan, const CallerSignals& caller, const ChildOptions& options);

}  // namespace sbx
