// A guarded file or directory as the host has it: what it was when the run began, and putting it right
// after the host (or, in the moment in which it lay open, the command) put something else in its place.
#pragma once

#include <sys/stat.h>

#include <string>

#include "util/fd.h"
#include "util/result.h"

namespace sbx {

class HostFile {
  public:
    /// Opens what is at `path` now. With `may_be_gone`, nothing is put back once it has been removed.
    /// Errors "gone", "guard_lost".
    static Result<HostFile> open(const std::string& path, bool may_be_gone);

    const std::string& path() const { return path_; }
    int directory() const { return directory_.get(); }

    /// Same inode as remembered? True also for one that may be gone and is.
    bool unchanged() const;

    /// What put_right() did, as a line for the user; "" when there was nothing to do.
    ///
    /// Everything in the sandbox is stopped, since `stopped_at` (CLOCK_REALTIME). Afterwards the name
    /// leads to an inode that no process of the sandbox can have open. Its bytes are the new ones where
    /// it makes no difference who wrote them (harmless git settings); else those from the beginning, and
    /// the new version is kept beside it.
    Result<std::string> put_right(const timespec& stopped_at);

  private:
    Result<void> remember();
    Result<std::string> bytes(int fd) const;
    bool acceptable(const std::string& now) const;
    Result<void> write_fresh(const std::string& content, const struct stat& like);
    Result<std::string> set_aside();
    Result<void> make_again();

    std::string path_;
    std::string name_;
    bool may_be_gone_ = false;
    Fd directory_;
    Fd file_;            ///< keeps the inode, and with it its number, from being used again
    struct stat status_ {};
    std::string content_;  ///< of a regular file; text of a link
};

}  // namespace sbx
