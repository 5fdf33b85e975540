// What every subcommand prints with.
#pragma once

#include <string_view>

#include "policy/load.h"

namespace sbx::cli {

/// Status of a subcommand other than `run`: a wrong command line; the answer is no.
constexpr int kUsage = 2;
constexpr int kNo = 1;

/// Writes to standard output. Returns 0, or 1 when that fails (a full disk must not look like success).
int print(std::string_view text);

/// Prints the errors of `loaded` on standard error, then one line that says that nothing was done.
void report_errors(const LoadedPolicy& loaded, std::string_view consequence);

}  // namespace sbx::cli
