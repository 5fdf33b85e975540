// A short-lived process inside the sandbox's mount namespace.
//
// The sandbox itself never holds a capability. Its user namespace belongs to the caller, though, and in
// that one the caller, outside, may do everything: what has to be mounted later is mounted from here.
#pragma once

#include <sys/types.h>

#include <functional>

#include "util/fd.h"
#include "util/result.h"

namespace sbx {

class SandboxEntry {
  public:
    /// `pid`: a process of the sandbox. Error "setup_failed" when its namespaces cannot be opened.
    static Result<SandboxEntry> open(pid_t pid);

    /// Runs `work` in a process that shares this one's memory and descriptors, but whose root and
    /// current directory are the sandbox's, with every capability over its mounts and none elsewhere.
    /// This process waits meanwhile.
    Result<void> run(const std::function<Result<void>()>& work) const;

  private:
    Fd mounts_;
    Fd users_;   ///< the user namespace that owns the mounts: not always the one the process is in
};

}  // namespace sbx
