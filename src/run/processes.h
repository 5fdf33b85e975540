// What the system says about other processes. Each platform has its own way to ask.
#pragma once

#include <sys/types.h>

#include <vector>

namespace sbx {

/// 0 when `pid` does not exist, or nothing can be learnt.
pid_t parent_of(pid_t pid);

/// The processes of a process group that still run; those that only wait to be reaped left out.
std::vector<pid_t> members_of(pid_t group);

}  // namespace sbx
