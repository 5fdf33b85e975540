#include <algorithm>
#include <set>

#include "plan/mounts.h"
#include "policy/zones.h"
#include "util/text.h"

namespace sbx {
namespace {

class Protection {
  public:
    Protection(Plan& plan) : plan_(plan) {}

    /// Makes `path` read-only if it lies in something writable.
    void guard(const std::string& path, bool is_directory, const Origin& origin, const std::string& rule) {
        const Mount* root = writable_root(plan_, path);
        if (root == nullptr) {
            return;
        }
        std::string limit = root->destination;
        add(path, Purpose::Guard, Access::Read, is_directory, origin, rule);
        pin_ancestors(path, limit, origin, rule);
    }

    /// A directory between a guarded path and the writable root could be renamed away, guard and all,
    /// and another be put in its place. Bound onto itself it cannot: EBUSY.
    void pin_ancestors(const std::string& path, const std::string& root, const Origin& origin,
                       const std::string& rule) {
        for (std::string at = path_parent(path); at.size() > root.size() && path_within(at, root);
             at = path_parent(at)) {
            add(at, Purpose::Pin, Access::Write, true, origin, rule);
        }
    }

    /// Hides a path. In something writable it is pinned, too.
    void mask(const Mount& mask) {
        if (!seen_.insert({mask.destination, Purpose::Mask}).second) {
            return;
        }
        if (const Mount* root = writable_root(plan_, mask.destination)) {
            pin_ancestors(mask.destination, std::string(root->destination), mask.origin, mask.rule);
        }
        plan_.mounts.push_back(mask);
    }

  private:
    void add(const std::string& path, Purpose purpose, Access access, bool is_directory, const Origin& origin,
             const std::string& rule) {
        if (!seen_.insert({path, purpose}).second) {
            return;
        }
        Mount mount;
        mount.purpose = purpose;
        mount.source = mount.destination = path;
        mount.access = access;
        mount.is_directory = is_directory;
        mount.origin = origin;
        mount.rule = rule;
        plan_.mounts.push_back(mount);
    }

    Plan& plan_;
    std::set<std::pair<std::string, Purpose>> seen_;
};

bool is_directory_name(const std::string& name) { return name == "hooks"; }

void guard_git(const Policy& policy, const HostFacts& facts, bool allow_git_config, Plan& plan,
               Protection& protection) {
    GuardWhen when = policy.guards.git.value;
    bool active = when == GuardWhen::Always || (when == GuardWhen::Tainted && plan.tainted);
    if (!active || !facts.git || !facts.git->trusted) {
        return;
    }
    const Origin& origin = policy.guards.git.origin;
    for (const GitDirectory& directory : facts.git_directories) {
        if (writable_root(plan, directory.path) == nullptr) {
            continue;
        }
        for (const auto& name : directory.existing) {
            if (allow_git_config && (name == "config" || name == "config.worktree")) {
                continue;
            }
            protection.guard(path_join(directory.path, name), is_directory_name(name), origin, "guards.git");
        }
    }
    if (facts.git->entry_is_file) {
        protection.guard(facts.git->entry, false, origin, "guards.git");
    }
    // The repository's configuration makes git look there for hooks and for more configuration.
    for (const auto* list : {&facts.git->hooks_paths, &facts.git->includes}) {
        for (const auto& path : *list) {
            auto found = facts.paths.find(path);
            if (found != facts.paths.end() && found->second.kind != FileKind::Missing) {
                bool hooks = list == &facts.git->hooks_paths;
                protection.guard(found->second.resolved, found->second.kind == FileKind::Directory, origin,
                                 hooks ? "guards.git, core.hooksPath" : "guards.git, include.path");
            }
        }
    }
}

void guard_policy_files(const Policy& policy, Protection& protection, const HostFacts& facts) {
    for (const auto& file : policy.files) {
        protection.guard(file, false, Origin::built_in(), "sbx's own policy file");
    }
    protection.guard(facts.executable, false, Origin::built_in(), "sbx's own executable");
}

/// Fusion's state below a writable folder (F25, C13). A link there is guarded at its target, too.
void guard_fusion(const HostFacts& facts, const Plan& plan, Protection& protection) {
    std::vector<std::string> roots;
    for (const Mount& mount : plan.mounts) {
        if (mount.kind == Mount::Kind::Bind && mount.access == Access::Write) {
            roots.push_back(mount.destination);
        }
    }
    for (const std::string& root : roots) {
        auto found = facts.paths.find(path_join(root, ".fusion"));
        if (found != facts.paths.end() && found->second.kind != FileKind::Missing) {
            protection.guard(found->second.resolved, found->second.kind == FileKind::Directory, Origin::built_in(),
                             "nothing below .fusion is writable");
        }
    }
}

/// sbx's own directories, where a grant would show them: they hold what the user trusts (P32, P46).
Result<void> hide_own_directories(const HostFacts& facts, Plan& plan, Protection& protection) {
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
        protection.mask(mask);
    }
    return {};
}

}  // namespace

Result<void> add_protection(const Policy& policy, const HostFacts& facts, bool allow_git_config, Plan& plan) {
    Protection protection(plan);
    guard_git(policy, facts, allow_git_config, plan, protection);
    guard_policy_files(policy, protection, facts);
    guard_fusion(facts, plan, protection);
    return hide_own_directories(facts, plan, protection);
}

}  // namespace sbx
