// The one place that writes to the user's terminal: lines on standard error that start with "sbx: ".
#pragma once

#include <string_view>

#include "util/result.h"

namespace sbx {

/// Writes `text` as one or more "sbx: " lines, cleaned of control characters.
void say(std::string_view text);

/// Writes the error's message, and its hint on a line of its own.
void say(const Error& error);

}  // namespace sbx
