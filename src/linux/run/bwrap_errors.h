// Why the command was not started, and what to do about it.
#pragma once

#include <string>

#include "linux/wire/block.h"
#include "run/outcome.h"
#include "util/result.h"

namespace sbx {

/// `text`: all that bwrap wrote to stderr. The error always has the code "backend_failed" or
/// "backend_unavailable", names bwrap's last line, and, where it is known, the remedy.
Error explain_bwrap_failure(const std::string& text);

/// `message`: the inner stage's ExecFailed or SetupFailed.
Outcome explain_not_started(const wire::Message& message);

}  // namespace sbx
