// Tells when a name in a directory has come or gone.
//
// By dnotify's signal: closing an inotify descriptor makes the kernel wait 12 ms and more (it synchronises
// SRCU), which every run would pay at its end; closing a directory that is watched this way costs nothing.
#pragma once

#include <sys/stat.h>

#include <csignal>
#include <vector>

#include "util/fd.h"

namespace sbx {

class DirectoryWatch {
  public:
    /// From now on kSignal comes to this process, with si_code SI_KERNEL, after each change of a name in
    /// `directory` (any descriptor of it). The signal must be blocked; any number of changes are one.
    void add(int directory);

    /// How long to wait at most before looking again, in ms; -1: every change is signalled.
    int interval_ms() const { return complete_ ? -1 : kLookMs; }

    static constexpr int kSignal = SIGIO;

  private:
    static constexpr int kLookMs = 20;

    struct Watched {
        dev_t device;
        ino_t inode;
        Fd directory;
    };

    std::vector<Watched> watched_;
    bool complete_ = true;   ///< false: the kernel cannot do it, or we may not read a directory
};

}  // namespace sbx
