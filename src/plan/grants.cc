#include <algorithm>

#include "host/gather.h"
#include "plan/mac.h"
#include "plan/mounts.h"
#include "util/text.h"

namespace sbx {
namespace {

Mount bind(const std::string& path, Purpose purpose, Access access, const Origin& origin, const char* rule) {
    Mount mount;
    mount.purpose = purpose;
    mount.source = mount.destination = path;
    mount.access = access;
    mount.origin = origin;
    mount.rule = rule;
    return mount;
}

Error refused_worktree(const std::string& path, const std::string& reason) {
    return Error{"invalid_folder", printable_line(path) + ": " + reason,
                 "change to a project folder, or name one: sandbox.worktree in the policy, or --folder DIR"};
}

/// sbx's own directories may not be part of what the command can write (P46).
const std::string* holds_own_files(const HostFacts& facts, const std::string& path) {
    for (const std::string* own : {&facts.config_dir, &facts.state_dir, &facts.executable}) {
        if (!own->empty() && (path_within(*own, path) || path_within(path, *own))) {
            return own;
        }
    }
    return nullptr;
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
    if (path == "/") {
        return refused_worktree(path, "Choose a specific folder rather than the whole disk.");
    }
    if (!facts.home.empty() && path_within(facts.home, path)) {
        return refused_worktree(path, path == facts.home
                                          ? "the home directory as a worktree would hand everything in it to the command"
                                          : "this folder holds the home directory");
    }
    if (const std::string* own = holds_own_files(facts, path); own != nullptr && path_within(*own, path)) {
        bool executable = own == &facts.executable;
        if (!executable) {
            return refused_worktree(path, "refused: it holds sbx's own files (" + printable_line(*own) + ")");
        }
    }
    if (std::string reason = mac_refused_worktree(path); facts.platform == Platform::Mac && !reason.empty()) {
        return refused_worktree(path, reason);
    }
    for (const SystemPath& system : facts.system) {
        bool inside = path_within(path, system.path) && system.path != "/opt";
        if (inside || path == system.path) {
            return refused_worktree(path, "this is part of the system");
        }
    }
    for (const char* whole : {"/run", "/tmp", "/var", "/var/tmp", "/dev/shm", "/home", "/srv", "/mnt", "/media"}) {
        if (path == whole) {
            return refused_worktree(path, "Choose a folder of its own for the project.");
        }
    }
    for (const char* kernel : {"/proc", "/sys", "/dev", "/boot"}) {
        if (path_within(path, kernel) && !path_within(path, "/dev/shm")) {
            return refused_worktree(path, "this is part of the system");
        }
    }
    return path;
}

Result<void> add_paths(const std::vector<PathEntry>& entries, Access access, const HostFacts& facts, Plan& plan) {
    for (const PathEntry& entry : entries) {
        std::string expanded = expand_path(entry, facts);
        auto found = facts.paths.find(expanded);
        bool missing = found == facts.paths.end() || found->second.kind == FileKind::Missing;
        if (missing && entry.optional) {
            continue;
        }
        if (missing) {
            plan.notes.push_back(entry.origin.text() + ": " + printable_line(expanded) + " does not exist; skipped");
            continue;
        }
        Purpose purpose = access == Access::Write ? Purpose::WriteGrant : Purpose::ReadGrant;
        Mount mount = bind(found->second.resolved, purpose, access, entry.origin,
                           access == Access::Write ? "sandbox.allowedWritePaths" : "sandbox.allowedReadPaths");
        mount.is_directory = found->second.kind == FileKind::Directory;
        plan.mounts.push_back(mount);
    }
    return {};
}

}  // namespace

Result<void> add_grants(const Policy& policy, const HostFacts& facts, Plan& plan) {
    SBX_ASSIGN(plan.worktree, choose_worktree(policy, facts));
    SBX_CHECK(add_paths(policy.read_paths, Access::Read, facts, plan));
    SBX_CHECK(add_paths(policy.write_paths, Access::Write, facts, plan));
    const Origin& origin = policy.worktree ? policy.worktree->origin : Origin::built_in();
    Access access = policy.worktree_read_only.value ? Access::Read : Access::Write;
    plan.mounts.push_back(bind(plan.worktree, Purpose::Worktree, access, origin, "sandbox.worktree"));
    if (facts.git && facts.git->trusted && !path_within(facts.git->common_dir, plan.worktree)) {
        bool write = policy.git_common_dir.value == GitCommonDir::Write && facts.git->writable &&
                     access == Access::Write;
        plan.mounts.push_back(bind(facts.git->common_dir, Purpose::Git, write ? Access::Write : Access::Read,
                                   policy.git_common_dir.origin, "sandbox.gitCommonDir"));
    }
    // A bind that lies in another one of the same access changes nothing and costs a mount.
    auto redundant = [&](const Mount& mount) {
        if (mount.kind != Mount::Kind::Bind || mount.purpose < Purpose::Worktree) {
            return false;
        }
        return std::any_of(plan.mounts.begin(), plan.mounts.end(), [&](const Mount& other) {
            return &other != &mount && other.kind == Mount::Kind::Bind && other.purpose >= Purpose::Worktree &&
                   other.access == mount.access && other.destination != mount.destination &&
                   path_within(mount.destination, other.destination);
        });
    };
    std::vector<Mount> kept;
    for (const Mount& mount : plan.mounts) {
        if (!redundant(mount)) {
            kept.push_back(mount);
        }
    }
    plan.mounts = std::move(kept);
    return {};
}

}  // namespace sbx
