// Deletes the VM however this run ends, also after a SIGKILL of sbx.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "util/fd.h"
#include "util/result.h"

namespace sbx::vm {

/// A process in a session of its own that waits until sbx is done or gone, ends the tool if that still
/// runs, deletes the VM by its name and removes the private folder.
///
/// The tool's own --rm deletes a VM whose command ended. It does not when the tool was killed or lost
/// its service: then the VM goes on.
class Guardian {
  public:
    /// Starts it, before the tool is: there must be no moment without one. `words` deletes the VM.
    /// Error: "io".
    static Result<Guardian> start(const std::vector<std::string>& words,
                                  const std::vector<std::string>& environment, const std::string& folder);

    Guardian(Guardian&&) noexcept = default;
    Guardian& operator=(Guardian&&) noexcept = default;
    ~Guardian();

    /// The descriptor that the tool must inherit: its end tells the guardian that the tool is gone, and
    /// while it is open the tool's process id cannot mean another process.
    int life_fd() const { return life_.get(); }

    /// The process that ends when nothing of the VM is left.
    pid_t pid() const { return pid_; }

    /// Tells it the tool's process id, and gives up the own copy of life_fd().
    void watch(pid_t tool);

    /// The run is over: waits until the VM is deleted and the folder is gone. `tool_killed`: the tool did
    /// not end by itself, so its service may still be making the VM.
    void finish(bool tool_killed = false);

  private:
    Guardian(pid_t pid, Fd control, Fd life)
        : pid_(pid), control_(std::move(control)), life_(std::move(life)) {}

    pid_t pid_ = -1;
    Fd control_;
    Fd life_;
};

}  // namespace sbx::vm
