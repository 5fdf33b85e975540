// The --json-status-fd protocol: one JSON object a line.
#pragma once

#include <sys/types.h>

#include "run/outcome.h"

namespace sbx {

/// Reports to the descriptor that a host program handed over. With -1 it does nothing.
class StatusWriter {
  public:
    explicit StatusWriter(int fd) : fd_(fd) {}

    /// {"child-pid":N}: the process that everything inside descends from, as the host numbers it.
    void started(pid_t pid) const;
    /// {"exit-code":N}, {"signal":N} or {"error":{"code":...,"message":...}}.
    void ended(const Outcome& outcome) const;

  private:
    int fd_;
};

}  // namespace sbx
