// What bwrap's own error text means and what to do about it.
#pragma once

#include <string>

#include "util/result.h"

namespace sbx {

/// `text`: all that bwrap wrote to stderr. The error always has the code "backend_failed" or
/// "backend_unavailable", names bwrap's last line, and, where it is known, the remedy.
Error explain_bwrap_failure(const std::string& text);

}  // namespace sbx
