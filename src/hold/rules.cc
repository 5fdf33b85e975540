#include "hold/rules.h"

#include <algorithm>

#include "hold/git_state.h"
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

void judge_state(Change& change) {
    if (change.after == nullptr) {
        change.verdict = Verdict::Leave;
        return;
    }
    if (change.after->kind == Item::Kind::File && change.after->whole) {
        std::string before = change.before != nullptr ? change.before->content : "";
        change.rewritten = disarmed_git_state(lower(path_name(change.path)), before, change.after->content);
        change.verdict = change.rewritten ? Verdict::Hold : Verdict::Leave;
    }
}

void judge_one(const HandoverPlan& plan, Change& change) {
    Role role = change.after != nullptr ? change.after->role : change.before->role;
    switch (role) {
        case Role::GitConfig: judge_config(change); break;
        case Role::GitState: judge_state(change); break;
        case Role::KnownPointer:
        case Role::Unread: change.verdict = Verdict::Leave; break;
        case Role::GitPointer:
        case Role::GitHook: change.verdict = change.after == nullptr ? Verdict::Leave : Verdict::Hold; break;
        case Role::Instruction:
            change.verdict = plan.hold_instructions     ? Verdict::Hold
                             : plan.report_instructions ? Verdict::Report
                                                        : Verdict::Leave;
            break;
        case Role::Handover:
        case Role::PathLink:
        case Role::None:
            change.verdict = plan.handover == Handover::Off      ? Verdict::Leave
                             : plan.handover == Handover::Report ? Verdict::Report
                                                                 : Verdict::Hold;
            break;
    }
    bool git = role == Role::GitConfig || role == Role::GitPointer || role == Role::GitHook ||
               role == Role::GitState;
    if (git && change.verdict == Verdict::Hold &&
        (plan.handover == Handover::Report || plan.handover == Handover::Off)) {
        change.verdict = plan.handover == Handover::Off ? Verdict::Leave : Verdict::Report;
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

std::vector<Change> judge(const HandoverPlan& plan, const Snapshot& before, const Snapshot& after) {
    std::vector<Change> changes;
    for (const auto& [path, item] : before) {
        auto now = after.find(path);
        if (now == after.end()) {
            changes.push_back({path, &item, nullptr, Verdict::Hold, std::nullopt});
        } else if (item.role == Role::KnownPointer && now->second.role == Role::GitPointer) {
            // What it leads to was exchanged: having the pointer back as it was would not help.
            changes.push_back({path, nullptr, &now->second, Verdict::Hold, std::nullopt});
        } else if (!now->second.same_as(item)) {
            changes.push_back({path, &item, &now->second, Verdict::Hold, std::nullopt});
        }
    }
    for (const auto& [path, item] : after) {
        if (before.find(path) == before.end()) {
            changes.push_back({path, nullptr, &item, Verdict::Hold, std::nullopt});
        }
    }
    std::sort(changes.begin(), changes.end(),
              [](const Change& a, const Change& b) { return a.path < b.path; });
    for (Change& change : changes) {
        judge_one(plan, change);
    }
    return changes;
}

void leave_read_only(const HandoverPlan& plan, const std::string& root, std::vector<Change>& changes) {
    for (Change& change : changes) {
        std::string full = path_join(root, change.path);
        if (std::any_of(plan.read_only.begin(), plan.read_only.end(),
                        [&](const std::string& guarded) { return path_within(full, guarded); })) {
            change.verdict = Verdict::Leave;
        }
    }
}

bool would_be_held(const HandoverPlan& plan, const Item& item) {
    bool files = plan.handover == Handover::Hold || plan.handover == Handover::Protect;
    switch (item.role) {
        case Role::Instruction: return plan.hold_instructions;
        case Role::None:
        case Role::KnownPointer:
        case Role::Unread: return false;
        default: return files;
    }
}

}  // namespace sbx::hold
