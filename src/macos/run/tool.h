// Runs one of the system's own tools and waits for it.
#pragma once

#include <string>
#include <vector>

#include "util/result.h"

namespace sbx {

struct ToolResult {
    int status = 0;       ///< as from waitpid(2)
    std::string errors;   ///< standard error, at most 64 KiB
};

/// Runs argv (absolute) with an empty environment and no input. Error: "io", or "timeout" after
/// `timeout_ms`, when it was killed.
Result<ToolResult> run_tool(const std::vector<std::string>& argv, int timeout_ms);

}  // namespace sbx
