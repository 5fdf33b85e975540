// The caller's standard streams: what the tool may do with them, and putting them right afterwards.
#pragma once

#include <termios.h>

#include "vm/render/container.h"

namespace sbx::vm {

/// Remembers the flags of stdin (the tool makes it non-blocking, also for the shell that shares it) and
/// the modes of the terminal; the destructor restores both.
class StdioState {
  public:
    StdioState();
    StdioState(const StdioState&) = delete;
    StdioState& operator=(const StdioState&) = delete;
    ~StdioState();

    /// -t only when stdin, stdout and stderr are the terminal: it merges stderr into stdout, and fails
    /// without a terminal on stdin. -i when there is something to read and nobody else reads it: not in
    /// the background, and not from a terminal whose keys belong to a pager behind our stdout.
    const ContainerStdio& options() const { return options_; }

  private:
    ContainerStdio options_;
    int flags_ = -1;
    termios modes_{};
    bool have_modes_ = false;
};

}  // namespace sbx::vm
