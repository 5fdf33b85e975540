#include <algorithm>

#include "host/gather.h"
#include "plan/guard_git.h"
#include "plan/guard_handover.h"
#include "plan/masks.h"
#include "plan/mounts.h"
#include "plan/protector.h"
#include "policy/zones.h"
#include "util/text.h"

namespace sbx {
namespace {

void guard_policy_files(const Policy& policy, Protector& protector, const HostFacts& facts) {
    for (const auto& file : policy.files) {
        protector.guard(file, FileKind::File, Origin::built_in(), "sbx's own policy file");
    }
    protector.guard(facts.executable, FileKind::File, Origin::built_in(), "sbx's own executable");
}

/// guards.paths: what else the policy wants read-only.
void guard_named(const Policy& policy, const HostFacts& facts, Plan& plan, Protector& protector) {
    for (const PathEntry& entry : policy.guards.paths) {
        std::string path = expand_path(entry, facts);
        auto found = facts.paths.find(path);
        if (found == facts.paths.end() || found->second.kind == FileKind::Missing) {
            if (!entry.optional) {
                plan.notes.push_back(entry.origin.text() + ": " + printable_line(path) + " does not exist; not guarded");
            }
            continue;
        }
        protector.guard(found->second.is_link ? path : found->second.resolved,
                        found->second.is_link ? FileKind::Symlink : found->second.kind, entry.origin, "guards.paths");
    }
}

/// A folder that the policy grants for reading only, inside one that it grants for writing.
void pin_read_only_grants(Plan& plan, Protector& protector) {
    std::vector<Mount> inner;
    for (const Mount& mount : plan.mounts) {
        if (mount.kind == Mount::Kind::Bind && mount.access == Access::Read) {
            inner.push_back(mount);
        }
    }
    for (const Mount& mount : inner) {
        protector.pin_ancestors(mount.destination, mount.origin, mount.rule);
    }
}

/// Fusion's state below a writable folder (F25, C13). A link there is guarded at its target, too.
void guard_fusion(const HostFacts& facts, const Plan& plan, Protector& protector) {
    std::vector<std::string> roots;
    for (const Mount& mount : plan.mounts) {
        if (mount.kind == Mount::Kind::Bind && mount.access == Access::Write) {
            roots.push_back(mount.destination);
        }
    }
    for (const std::string& root : roots) {
        auto found = facts.paths.find(path_join(root, ".fusion"));
        if (found != facts.paths.end() && found->second.kind != FileKind::Missing) {
            protector.guard(found->second.resolved, found->second.kind, Origin::built_in(),
                            "nothing below .fusion is writable");
        }
    }
}

/// sbx's own directories, where a grant would show them: they hold what the user trusts (P32, P46).
Result<void> hide_own_directories(const HostFacts& facts, Plan& plan, Protector& protector) {
    std::vector<Mount> masks;
    for (const Mount& mount : plan.mounts) {
        bool shows = mount.kind == Mount::Kind::Bind && mount.purpose != Purpose::System;
        if (!shows) {
            continue;
        }
        for (const std::string& own : own_directories_in(facts, mount.destination)) {
            auto found = facts.paths.find(own);
            bool missing = found == facts.paths.end() || found->second.kind == FileKind::Missing;
            if (missing && mount.access == Access::Write) {
                return Error{"not_confined",
                             printable_line(own) + " does not exist, and the command could make it: sbx's own " +
                                 "settings would be the command's (" + mount.rule + ")",
                             "mkdir -p -m 700 " + shell_quote(own)};
            }
            if (!missing) {
                Mount mask;
                mask.kind = Mount::Kind::Mask;
                mask.purpose = Purpose::Mask;
                mask.destination = own;
                mask.rule = "sbx's own files";
                masks.push_back(mask);
            }
        }
    }
    for (const Mount& mask : masks) {
        protector.mask(mask);
    }
    return {};
}

}  // namespace

Result<void> add_protection(const Policy& policy, const HostFacts& facts, bool allow_git_config, Plan& plan) {
    Protector protector(plan, facts);
    pin_read_only_grants(plan, protector);
    guard_git(policy, facts, allow_git_config, plan, protector);
    guard_policy_files(policy, protector, facts);
    guard_named(policy, facts, plan, protector);
    guard_fusion(facts, plan, protector);
    guard_handover(policy, facts, plan, protector);
    SBX_CHECK(add_masks(policy, facts, plan, protector));
    return hide_own_directories(facts, plan, protector);
}

std::vector<Mount> guards_for(const std::vector<std::string>& paths, const Plan& plan, const HostFacts& facts) {
    std::vector<Mount> added;
    if (paths.empty()) {
        return added;
    }
    Plan guarded = plan;
    Protector protector(guarded, facts);
    for (const std::string& path : paths) {
        protector.guard(path, FileKind::File, Origin::built_in(), "guards.handover: too large to be kept");
    }
    for (size_t i = plan.mounts.size(); i < guarded.mounts.size(); ++i) {
        Mount& mount = guarded.mounts[i];
        bool there = std::any_of(plan.mounts.begin(), plan.mounts.end(), [&](const Mount& other) {
            return other.destination == mount.destination && other.purpose >= Purpose::Pin;
        });
        if (!there) {
            added.push_back(std::move(mount));
        }
    }
    std::sort(added.begin(), added.end(),
              [](const Mount& a, const Mount& b) { return a.destination < b.destination; });
    return added;
}

}  // namespace sbx
