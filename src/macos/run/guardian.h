// Ends a run when sbx itself is killed: macOS has no namespace that would die with it.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>

#include "util/fd.h"
#include "util/result.h"

namespace sbx {

class RunGuardian {
  public:
    /// Forks a process of its own session. When this process ends without finish(), it kills everything
    /// that runs under the profile whose mark is `mark`, removes `directory`, and ends. Error: "io".
    static Result<RunGuardian> start(const std::string& mark, const std::string& directory);

    RunGuardian(RunGuardian&& other) noexcept
        : pid_(std::exchange(other.pid_, -1)), control_(std::move(other.control_)) {}
    RunGuardian& operator=(RunGuardian&&) = delete;
    ~RunGuardian();

    /// Its end is the end of the run, whoever was killed.
    pid_t pid() const { return pid_; }
    /// Before sandbox-exec starts in `command`: for a moment it runs under no profile yet. Error: "io".
    Result<void> watch(pid_t command) const;
    /// Nothing of the run is left: the guardian ends without doing anything.
    void finish();

  private:
    RunGuardian(pid_t pid, Fd control) : pid_(pid), control_(std::move(control)) {}

    pid_t pid_;
    Fd control_;
};

}  // namespace sbx
