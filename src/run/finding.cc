#include "run/finding.h"

#include <fmt/format.h>

#include <algorithm>

#include "util/text.h"

namespace sbx {
namespace {

const char* word(Finding::Status status) {
    switch (status) {
        case Finding::Status::Ok: return "ok";
        case Finding::Status::Note: return "note";
        case Finding::Status::Fail: break;
    }
    return "FAIL";
}

}  // namespace

size_t failures(const Findings& findings) {
    return static_cast<size_t>(std::count_if(findings.begin(), findings.end(), [](const Finding& finding) {
        return finding.status == Finding::Status::Fail;
    }));
}

std::string findings_text(const Findings& findings) {
    std::string out;
    for (const Finding& finding : findings) {
        out += fmt::format("  {:<5} {}: {}\n", word(finding.status), finding.layer, printable_line(finding.text));
        if (!finding.remedy.empty()) {
            for (const std::string& line : split(finding.remedy, '\n')) {
                out += fmt::format("        {}\n", printable_line(line));
            }
        }
    }
    return out;
}

std::string findings_json(const Findings& findings) {
    std::string checks;
    for (const Finding& finding : findings) {
        checks += fmt::format("{}{{\"status\":{},\"layer\":{},\"text\":{},\"remedy\":{}}}", checks.empty() ? "" : ",",
                              json_quote(word(finding.status)), json_quote(finding.layer), json_quote(finding.text),
                              json_quote(finding.remedy));
    }
    return fmt::format("{{\"ok\":{},\"checks\":[{}]}}\n", failures(findings) == 0, checks);
}

std::string selftest_text(const Findings& findings) {
    size_t failed = failures(findings);
    return findings_text(findings) +
           (failed == 0 ? "all sandbox checks passed\n" : fmt::format("{} check(s) failed\n", failed));
}

}  // namespace sbx
