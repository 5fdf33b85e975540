// The two things that only macOS can do. Everything else of this folder is plain POSIX, so that the
// tests drive it on Linux with their own versions of these.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace sbx {

/// Replaces this process by `program` with no descriptors but 0, 1, 2 and `keep`. Returns errno on failure.
int exec_with_descriptors(const char* program, char* const* argv, char* const* environment,
                          const std::vector<int>& keep);

/// Every process that runs under the profile whose mark is `mark` (render/seatbelt.h), whatever group,
/// session or parent it has.
std::vector<pid_t> processes_of_run(const std::string& mark);

}  // namespace sbx
