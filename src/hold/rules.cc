#include "hold/rules.h"

#include <algorithm>

#include "util/git_config.h"
#include "util/git_harmless.h"
#include "util/text.h"

namespace sbx::hold {
namespace {

using Verdict = Change::Verdict;

/// A repository that the run made stays usable: its configuration keeps the settings that cannot make git
/// run anything.
void judge_config(Change& change) {
    if (change.after == nullptr) {
        change.verdict = Verdict::Leave;
        return;
    }
    if (change.after->kind == Item::Kind::File) {
        std::string before = change.before != nullptr ? change.before->content : "";
        if (only_harmless_changes(before, change.after->content)) {
            change.verdict = Verdict::Leave;
            return;
        }
        if (change.before == nullptr) {
            change.rewritten = reduced_git_config(change.after->content);
        }
    }
    change.verdict = Verdict::Hold;
}

/// Where a `.git` file, a link in its place, `commondir` or `gitdir` leads.
std::string pointer_target(const std::string& root, const Change& change) {
    std::string text = change.after->content;
    if (text.rfind("gitdir: ", 0) == 0) {
        text = text.substr(8);
    }
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) {
        text.pop_back();
    }
    if (!text.empty() && text.front() == '/') {
        return path_normalise(text);
    }
    return path_normalise(path_join(path_parent(path_join(root, change.path)), text));
}

void judge_pointer(const HandoverPlan& plan, const std::string& root, Change& change) {
    if (change.after == nullptr) {
        change.verdict = Verdict::Leave;
        return;
    }
    bool readable = change.after->kind == Item::Kind::File || change.after->kind == Item::Kind::Link;
    if (readable) {
        std::string target = pointer_target(root, change);
        // Repositories inside the writable roots are judged themselves, guarded ones cannot change.
        bool inside = std::any_of(plan.roots.begin(), plan.roots.end(),
                                  [&](const std::string& other) { return path_within(target, other); });
        bool guarded = std::any_of(plan.git_dirs.begin(), plan.git_dirs.end(),
                                   [&](const std::string& other) { return path_within(target, other); });
        if (inside || guarded) {
            change.verdict = Verdict::Leave;
            return;
        }
    }
    change.verdict = Verdict::Hold;
}

void judge_one(const HandoverPlan& plan, const std::string& root, Change& change) {
    Role role = change.after != nullptr ? change.after->role : change.before->role;
    switch (role) {
        case Role::GitConfig: judge_config(change); break;
        case Role::GitPointer: judge_pointer(plan, root, change); break;
        case Role::GitHook: change.verdict = change.after == nullptr ? Verdict::Leave : Verdict::Hold; break;
        case Role::Instruction:
            change.verdict = plan.hold_instructions     ? Verdict::Hold
                             : plan.report_instructions ? Verdict::Report
                                                        : Verdict::Leave;
            break;
        case Role::Handover:
        case Role::None:
            change.verdict = plan.handover == Handover::Off      ? Verdict::Leave
                             : plan.handover == Handover::Report ? Verdict::Report
                                                                 : Verdict::Hold;
            break;
    }
    bool git = role == Role::GitConfig || role == Role::GitPointer || role == Role::GitHook;
    if (git && change.verdict == Verdict::Hold && plan.handover == Handover::Report) {
        change.verdict = Verdict::Report;
        change.rewritten.reset();
    }
}

}  // namespace

std::string reduced_git_config(std::string_view text) {
    std::vector<GitConfigEntry> kept;
    auto entries = parse_git_config(text);
    if (entries.ok()) {
        std::copy_if(entries->begin(), entries->end(), std::back_inserter(kept), is_harmless);
    }
    return write_git_config(kept);
}

std::vector<Change> judge(const HandoverPlan& plan, const std::string& root, const Snapshot& before,
                          const Snapshot& after) {
    std::vector<Change> changes;
    for (const auto& [path, item] : before) {
        auto now = after.find(path);
        if (now == after.end()) {
            changes.push_back({path, &item, nullptr, Verdict::Hold, std::nullopt});
        } else if (!now->second.same_as(item)) {
            changes.push_back({path, &item, &now->second, Verdict::Hold, std::nullopt});
        }
    }
    for (const auto& [path, item] : after) {
        if (before.find(path) == before.end()) {
            changes.push_back({path, nullptr, &item, Verdict::Hold, std::nullopt});
        }
    }
    std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.path < b.path; });
    for (Change& change : changes) {
        judge_one(plan, root, change);
    }
    return changes;
}

}  // namespace sbx::hold
