// Waiting for a process that is nobody's child here.
#pragma once

#include <sys/types.h>

#include "util/fd.h"

namespace sbx::hold {

/// Closes every descriptor from `first` to `last`.
void close_descriptors(unsigned first, unsigned last);

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
