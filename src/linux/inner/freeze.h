// Stops and continues everything inside, for the moment in which a guard has to be put back.
#pragma once

namespace sbx::inner {

/// Stops every other process of this pid namespace and waits until none runs. Returns how many could
/// not be stopped in time.
int freeze_everything();

/// Continues them, children before parents: a shell must not find its job stopped.
void thaw_everything();

}  // namespace sbx::inner
