// Runs the command as a child, passes signals on and reaps, also what the command left behind.
#pragma once

namespace sbx::guest {

/// Runs argv with `environment` and returns the status to exit with: the command's own, 128+n when
/// signal n killed it, 126 when it cannot be run, 127 when it does not exist.
/// All signals are blocked before and stay so in this process.
int run_command(char** argv, char** environment);

/// `environment` without the variables that only init reads (SANDBOX_PROFILE stays). In place.
void clean_environment(char** environment);

}  // namespace sbx::guest
