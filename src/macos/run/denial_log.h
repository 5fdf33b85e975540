// --log-denials: what the system's log says about this run.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "util/fd.h"
#include "util/result.h"

namespace sbx {

/// A running `log stream`. Construction waits until it is listening; stop() ends it.
class DenialLog {
  public:
    /// `tool`: /usr/bin/log. Error "io": it cannot be started or did not get ready.
    static Result<DenialLog> start(const std::string& tool, const std::string& tag);

    DenialLog(DenialLog&& other) noexcept;
    DenialLog& operator=(DenialLog&&) = delete;
    ~DenialLog();

    /// Waits a moment for late events and returns the denials, each once, in order.
    std::vector<std::string> stop();

  private:
    DenialLog() = default;
    bool read_some(int timeout_ms);

    Fd output_;
    pid_t pid_ = -1;
    std::string tag_;
    std::string text_;
};

}  // namespace sbx
