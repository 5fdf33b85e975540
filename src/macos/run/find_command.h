// Finds the command before the sandbox starts: sandbox-exec would answer 71 for every failure.
#pragma once

#include <optional>

#include "plan/plan.h"
#include "run/outcome.h"

namespace sbx {

/// Nothing when `plan.argv` can be started inside; else the NotFound or NotExecutable to report. Looks
/// where execvp would: in the plan's PATH, from the plan's directory, at what the plan shows.
std::optional<Outcome> check_command(const Plan& plan);

}  // namespace sbx
