// Calls Apple's `container` tool for a short answer.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "host/facts.h"
#include "util/result.h"

namespace sbx::vm {

struct ToolAnswer {
    int status = -1;     ///< exit status; 128+n when it died of signal n
    std::string output;  ///< what it wrote to stdout and stderr, at most 64 KiB
};

/// The environment that the tool gets: who the user is, a fixed PATH, and `extra`. Nothing else of the
/// caller's: DYLD_* and its like would change the tool.
std::vector<std::string> tool_environment(const HostFacts& facts,
                                          const std::vector<std::pair<std::string, std::string>>& extra);

/// Runs `words` with no stdin and waits, at most `timeout_ms`. Errors: "io", "timeout".
Result<ToolAnswer> ask_tool(const std::vector<std::string>& words,
                            const std::vector<std::string>& environment, int timeout_ms);

/// The tool is there, its service is up, it is new enough. In that order, so that the remedy that is
/// named is the first one that is needed. Error: "backend_unavailable".
Result<void> check_tool(const HostFacts& facts);

/// The image is on this machine. Error: "image_not_present", which names `sbx vm pull`: an image is
/// never fetched silently.
Result<void> check_image_present(const std::string& image, const HostFacts& facts);

/// "1.5.0" out of what `container --version` prints; "" when there is none.
std::string parse_version(const std::string& text);

/// True for `version` 1.5 and newer.
bool is_new_enough(const std::string& version);

}  // namespace sbx::vm
