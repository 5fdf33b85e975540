// What sandbox-exec and the system's log say, put into sbx's words. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "util/result.h"

namespace sbx {

/// F33: the tool is missing or cannot be started.
Error seatbelt_unavailable();

/// Nested: macOS refuses a second sandbox around a process.
Error seatbelt_nested(std::string_view text);

/// Why the trial run of the profile failed. `status`: as from waitpid(2); `text`: its standard error.
Error explain_seatbelt_failure(int status, std::string_view text);

/// F46.
std::string seatbelt_hint();

/// The predicate for `log stream`: denials of the sandbox only.
std::string denial_predicate();

/// `log stream --style ndjson` prints this line when it is ready, before any event.
bool is_log_ready(std::string_view line);

/// One event of the log as "file-read-data /Users/me/x (cat)"; nullopt when it is not a denial of the
/// run with this `tag` or only noise that every program makes. One line, safe to print.
std::optional<std::string> denial_of(std::string_view event, std::string_view tag);

}  // namespace sbx
