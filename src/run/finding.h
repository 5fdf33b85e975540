// What doctor and selftest report: one line a check.
#pragma once

#include <string>
#include <vector>

namespace sbx {

struct Finding {
    enum class Status { Ok, Note, Fail };
    Status status = Status::Ok;
    std::string layer;    ///< stable, for --json: "bubblewrap", "network", "git guard", ...
    std::string text;     ///< one line: what was found
    std::string remedy;   ///< what to do about it, in lines; empty for Ok
};

using Findings = std::vector<Finding>;

size_t failures(const Findings& findings);

/// "  ok    LAYER: TEXT" lines, each with its remedy indented below it.
std::string findings_text(const Findings& findings);

/// {"ok":BOOL,"checks":[{"status","layer","text","remedy"}...]}
std::string findings_json(const Findings& findings);

/// findings_text() and the last line "all sandbox checks passed" or "N check(s) failed".
std::string selftest_text(const Findings& findings);

}  // namespace sbx
