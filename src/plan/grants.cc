#include "host/gather.h"
#include "plan/mac.h"
#include "plan/mounts.h"
#include "policy/zones.h"
#include "util/text.h"

namespace sbx {
namespace {

Mount bind_mount(const std::string& path, Purpose purpose, Access access, const Origin& origin, const char* rule) {
    Mount mount;
    mount.purpose = purpose;
    mount.source = mount.destination = path;
    mount.access = access;
    mount.origin = origin;
    mount.rule = rule;
    return mount;
}

Result<std::string> choose_worktree(const Policy& policy, const HostFacts& facts) {
    std::string path;
    if (policy.worktree) {
        std::string expanded = expand_path(*policy.worktree, facts);
        auto found = facts.paths.find(expanded);
        if (found == facts.paths.end() || found->second.kind != FileKind::Directory) {
            return Error{"not_found",
                         policy.worktree->origin.text() + ": worktree " + printable_line(expanded) +
                             " is not a directory",
                         ""};
        }
        path = found->second.resolved;
        // The command starts where the caller is when that lies inside; a git top level is not looked for.
    } else if (facts.git) {
        path = facts.git->top_level;
    } else {
        path = facts.cwd;
    }
    if (std::string reason = mac_refused_worktree(path); facts.platform == Platform::Mac && !reason.empty()) {
        return Error{"invalid_folder", printable_line(path) + ": " + reason,
                     "change to a project folder, or name one: sandbox.worktree in the policy, or --folder DIR"};
    }
    const Origin& origin = policy.worktree ? policy.worktree->origin : Origin::built_in();
    SBX_CHECK(check_worktree(policy, facts, path, origin));
    return path;
}

Result<void> add_paths(const Policy& policy, const std::vector<PathEntry>& entries, Access access,
                       const HostFacts& facts, Plan& plan) {
    bool write = access == Access::Write;
    for (const PathEntry& entry : entries) {
        SBX_CHECK(check_grant(policy, facts, entry, write ? PathUse::Write : PathUse::Read));
        std::string expanded = expand_path(entry, facts);
        auto found = facts.paths.find(expanded);
        bool missing = found == facts.paths.end() || found->second.kind == FileKind::Missing;
        if (missing && !entry.create) {
            if (!entry.optional) {
                plan.notes.push_back(entry.origin.text() + ": " + printable_line(expanded) +
                                     " does not exist; skipped");
            }
            continue;
        }
        const std::string& resolved = found == facts.paths.end() ? expanded : found->second.resolved;
        if (missing) {
            plan.create.push_back(resolved);
        }
        Mount mount = bind_mount(resolved, write ? Purpose::WriteGrant : Purpose::ReadGrant, access, entry.origin,
                           write ? "sandbox.allowedWritePaths" : "sandbox.allowedReadPaths");
        mount.is_directory = missing || found->second.kind == FileKind::Directory;
        plan.mounts.push_back(mount);
    }
    return {};
}

/// The folder around the worktree, read-only (F11).
Result<void> add_repo_root(const Policy& policy, const HostFacts& facts, Plan& plan) {
    if (!policy.repo_root) {
        return {};
    }
    std::string expanded = expand_path(*policy.repo_root, facts);
    auto found = facts.paths.find(expanded);
    if (found == facts.paths.end() || found->second.kind != FileKind::Directory) {
        return Error{"not_found",
                     policy.repo_root->origin.text() + ": repoRoot " + printable_line(expanded) + " is not a directory",
                     ""};
    }
    SBX_CHECK(check_grant(policy, facts, *policy.repo_root, PathUse::Read));
    plan.mounts.push_back(bind_mount(found->second.resolved, Purpose::ReadGrant, Access::Read, policy.repo_root->origin,
                               "sandbox.repoRoot"));
    return {};
}

bool is_grant(const Mount& mount) { return mount.kind == Mount::Kind::Bind && mount.purpose >= Purpose::Worktree; }

/// A grant that lies in another one of the same access changes nothing and costs a mount; of two grants
/// of one path the one for writing counts. Only the innermost enclosing grant is asked: with a
/// read-only one in between, the inner one does change something.
std::vector<Mount> without_redundant(const std::vector<Mount>& mounts) {
    std::vector<Mount> kept;
    for (size_t i = 0; i < mounts.size(); ++i) {
        const Mount& mount = mounts[i];
        const Mount* around = nullptr;
        bool doubled = false;
        for (size_t j = 0; j < mounts.size() && is_grant(mount); ++j) {
            const Mount& other = mounts[j];
            if (j == i || !is_grant(other) || !path_within(mount.destination, other.destination)) {
                continue;
            }
            if (other.destination == mount.destination) {
                doubled = doubled || (other.access == mount.access ? j < i : other.access == Access::Write);
            } else if (around == nullptr || other.destination.size() > around->destination.size() ||
                       (other.destination == around->destination && other.access == Access::Write)) {
                around = &other;
            }
        }
        if (!doubled && (around == nullptr || around->access != mount.access)) {
            kept.push_back(mount);
        }
    }
    return kept;
}

}  // namespace

Result<void> add_grants(const Policy& policy, const HostFacts& facts, Plan& plan) {
    SBX_ASSIGN(plan.worktree, choose_worktree(policy, facts));
    SBX_CHECK(add_paths(policy, policy.read_paths, Access::Read, facts, plan));
    SBX_CHECK(add_paths(policy, policy.write_paths, Access::Write, facts, plan));
    SBX_CHECK(add_repo_root(policy, facts, plan));
    const Origin& origin = policy.worktree ? policy.worktree->origin : Origin::built_in();
    Access access = policy.worktree_read_only.value ? Access::Read : Access::Write;
    if (auto found = facts.paths.find(plan.worktree); found != facts.paths.end()) {
        if (access == Access::Write && facts.platform == Platform::Linux && facts.uid == 0 &&
            found->second.owner != 0) {
            // Inside, root is the only user that is mapped and has no capability: it could neither write
            // these files nor leave them as they were.
            return Error{"not_owner",
                         printable_line(plan.worktree) + " belongs to user " + std::to_string(found->second.owner) +
                             ", not to root",
                         "run as the owner: setpriv --reuid=" + std::to_string(found->second.owner) +
                             " --init-groups sbx run ..., or chown the folder to root"};
        }
        if (!found->second.writable) {
            access = Access::Read;
        }
    }
    plan.mounts.push_back(bind_mount(plan.worktree, Purpose::Worktree, access, origin, "sandbox.worktree"));
    if (facts.git && facts.git->trusted && !path_within(facts.git->common_dir, plan.worktree)) {
        bool write = policy.git_common_dir.value == GitCommonDir::Write && facts.git->writable &&
                     access == Access::Write;
        plan.mounts.push_back(bind_mount(facts.git->common_dir, Purpose::Git, write ? Access::Write : Access::Read,
                                   policy.git_common_dir.origin, "sandbox.gitCommonDir"));
    }
    plan.mounts = without_redundant(plan.mounts);
    return {};
}

}  // namespace sbx
