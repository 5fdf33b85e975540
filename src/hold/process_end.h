// Waiting for a process that is nobody's child here.
#pragma once

#include <sys/types.h>

#include "util/fd.h"

namespace sbx::hold {

/// Closes every descriptor from `first` to `last`.
void close_descriptors(unsigned first, unsigned last);

/// Keeps the mounts that `pid` sees until the descriptor is closed; invalid where there is no such thing. Ending them
/// takes the kernel a third of a millisecond (it waits for every processor), and whoever lets go last waits for that.
Fd keep_mounts(pid_t pid);

class ProcessEnd {
  public:
    /// From now on wait() waits for `pid`. A process that is gone already is no error.
    void watch(pid_t pid);
    /// Returns when the process has ended; at once when none is watched.
    void wait() const;
    /// Readable (POLLIN) from that moment on; -1 when none is watched.
    int descriptor() const { return handle_.get(); }
    /// The same, without waiting. Once it has said yes, do not ask again.
    bool ended() const;

  private:
    Fd handle_;
};

}  // namespace sbx::hold
