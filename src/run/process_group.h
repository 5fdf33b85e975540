// Who else is in a process group.
#pragma once

#include <sys/types.h>

namespace sbx {

/// True when a living process is in `group` that is neither this one nor `from` nor an ancestor of `from`:
/// another part of the caller's pipeline. False also when nothing can be learnt.
bool has_strangers(pid_t group, pid_t from);

}  // namespace sbx
