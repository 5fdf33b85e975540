// The caller's terminal: remembered before the run, put right after it.
#pragma once

#include <sys/types.h>
#include <termios.h>

#include "util/fd.h"

namespace sbx {

class Terminal {
  public:
    /// Opens the controlling terminal, when there is one and sbx is in its foreground.
    Terminal();

    /// Takes the foreground back from a process group that died with the sandbox (an interactive shell
    /// inside makes groups of its own): otherwise the next read of the caller's script stops it.
    void restore_foreground() const;

    /// Puts the modes back that were set before the run; for a command that could not do it itself. Not
    /// while another part of the caller's pipeline, a pager for instance, may have set its own.
    void restore_modes() const;

    /// Both, from another process of the session, after sbx was killed. A shell with job control, which gave
    /// sbx a group of its own, has put its terminal right itself and may have gone on.
    void restore_after_kill() const;

    /// The open terminal; -1 without one.
    int descriptor() const { return fd_.get(); }

  private:
    Fd fd_;
    pid_t group_ = -1;
    pid_t parent_ = -1;  ///< sbx's
    termios modes_{};
    bool have_modes_ = false;
};

}  // namespace sbx
