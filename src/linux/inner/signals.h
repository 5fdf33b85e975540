// What a process does with a signal.
#pragma once

namespace sbx::inner {

/// True when `process` neither catches, ignores nor blocks the signal, as its /proc entry says.
bool has_default_action(int process, int number);

}  // namespace sbx::inner
