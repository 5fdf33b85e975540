// Runs one planned command: backend choice, preflight, supervision, exit status.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/facts.h"
#include "plan/plan.h"
#include "run/early_start.h"
#include "util/result.h"

namespace sbx {

/// Exit statuses of sbx itself; the command's own status passes through unchanged.
struct ExitStatus {
    static constexpr int kTimeout = 124;
    static constexpr int kFailed = 125;
    static constexpr int kNotExecutable = 126;
    static constexpr int kNotFound = 127;
};

struct RunOptions {
    int json_status_fd = -1;   ///< --json-status-fd
    bool quiet = false;        ///< no notes, no hints
    bool verbose = false;
    bool log_denials = false;  ///< --log-denials: what the sandbox refused, from the system's log (macOS)
    /// Takes secrets out of what is said; may be empty.
    std::function<std::string(const std::string&)> clean = {};
    std::shared_ptr<EarlyStart> early = nullptr;  ///< what has begun already
};

/// Everything that one backend needs to start the command. Only render() makes one, so nothing can be
/// executed that did not come from a Plan.
class Launch;

/// The exact backend command line (and profile), for --dry-run and `sbx explain --backend`.
Result<std::string> describe_launch(const Plan& plan, const HostFacts& facts);

/// Runs the command under its plan and returns the exit status of sbx. Prints its own failures.
/// Dies of the same signal when the command was killed by one.
int run_plan(const Plan& plan, const HostFacts& facts, const RunOptions& options);

}  // namespace sbx
