// Stops this process as the command was stopped, for the shell that waits for it.
#pragma once

namespace sbx {

/// Returns when the process is continued; its SIGCONT is then pending. The signal is TSTP, TTIN or TTOU as
/// the shell would see it without sbx (128 + n in `$?`); anything else, and one of those where the kernel
/// ignores it (an orphaned process group, or the caller ignored it), is STOP. Every signal must be blocked.
void stop_like(int number);

}  // namespace sbx
