// Keeps the protective mounts in place while the command runs.
//
// A mount covers an inode. When a program on the host replaces a covered file by renaming another over
// it (git config, most editors), the kernel takes the mount away in every sandbox, and the new file lies
// open. And when it renames the file away, the mount goes along and the name is free.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "linux/render/protective.h"
#include "linux/run/host_file.h"
#include "linux/run/sandbox_entry.h"
#include "util/fd.h"
#include "util/result.h"

namespace sbx {

class MountGuard {
  public:
    explicit MountGuard(const std::vector<ProtectiveMount>& mounts) : mounts_(mounts) {}

    /// What the guarded files are now. Needs no sandbox yet.
    Result<void> remember_files();

    /// Mounts everything; the command must not run yet. `inner`: process 1 of the sandbox.
    Result<void> prepare(pid_t inner);

    /// The sandbox's mount table: POLLPRI when it has changed, which is how a mount is lost.
    int table() const { return table_.get(); }

    /// The directories of the guarded files. One that is moved away takes its mount along, which the table
    /// does not show.
    std::vector<int> directories() const;

    /// After the table or a name in one of the directories has changed: has a protection been lost?
    bool disturbed(bool table_changed);

    /// The same after any time in which nobody was waiting.
    bool disturbed_meanwhile();

    /// When everything inside has ended: was a guarded file replaced since the last look?
    bool replaced() const { return table_.valid() && files_changed(); }

    /// Puts everything right. The sandbox is stopped. Returns lines for the user.
    Result<std::vector<std::string>> repair();

    /// Lets go of the sandbox's mounts.
    void leave();

  private:
    bool files_changed() const;
    bool mounts_lost() const;
    void forget_events() const;

    const std::vector<ProtectiveMount>& mounts_;
    std::optional<SandboxEntry> entry_;
    std::vector<HostFile> files_;
    Fd table_;     ///< mountinfo of the sandbox: POLLPRI when it has changed
};

}  // namespace sbx
