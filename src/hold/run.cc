#include "hold/run.h"

#include "hold/ask_git.h"
#include "util/text.h"

namespace sbx::hold {
namespace {

constexpr size_t kNamed = 5;

/// "a, b and 3 more".
std::string listed(const std::vector<std::string>& paths) {
    std::string text;
    for (size_t i = 0; i < paths.size() && i < kNamed; ++i) {
        text += (i > 0 ? ", " : "") + printable_line(paths[i]);
    }
    if (paths.size() > kNamed) {
        text += " and " + std::to_string(paths.size() - kNamed) + " more";
    }
    return text;
}

}  // namespace

bool is_needed(const Plan& plan) {
    const HandoverPlan& handover = plan.handover;
    bool watches =
        handover.handover != Handover::Off || handover.hold_instructions || handover.report_instructions;
    return (watches && !handover.roots.empty()) || !plan.placeholders.empty() ||
           !plan.reserved.empty();
}

Result<std::unique_ptr<Session>> begin(const Plan& plan, const HostFacts& facts, const Terminal* terminal) {
    CatFile cat_file;
    if (plan.backend == Backend::Bubblewrap || plan.backend == Backend::SandboxExec) {
        cat_file = sandboxed_cat_file(plan, facts);
    }
    return Session::begin(plan, {facts.live_dir, facts.state_dir, facts.journal_dir}, std::move(cat_file),
                          terminal);
}

std::vector<std::string> describe(const Report& report) {
    std::vector<std::string> lines;
    if (report.lost_run) {
        lines.emplace_back("note: an earlier run was lost before it could restore what the host runs or obeys; that is done now");
    }
    if (!report.held.empty()) {
        lines.push_back(
            "held: " + listed(report.held) +
            ": the host runs or obeys such files; sbx held shows the changes, sbx accept takes them");
    }
    if (!report.reported.empty()) {
        lines.push_back("note: changed by the command: " + listed(report.reported));
    }
    for (const auto& line : report.aside) {
        lines.push_back("held: could not be kept in the state directory, so it was renamed: " +
                        printable_line(line));
    }
    if (!report.removed.empty()) {
        lines.push_back("removed: " + listed(report.removed) +
                        ": it would have led git on the host to settings of the command's choice");
    }
    for (const auto& line : report.failed) {
        lines.push_back("not restored: " + line + "; the next run here tries again");
    }
    return lines;
}

}  // namespace sbx::hold
