#include <algorithm>
#include <set>

#include "plan/mounts.h"
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
}

void guard_policy_files(const Policy& policy, Protection& protection, const HostFacts& facts) {
    for (const auto& file : policy.files) {
        protection.guard(file, false, Origin::built_in(), "sbx's own policy file");
    }
    protection.guard(facts.executable, false, Origin::built_in(), "sbx's own executable");
}

}  // namespace

void add_protection(const Policy& policy, const HostFacts& facts, bool allow_git_config, Plan& plan) {
    Protection protection(plan);
    guard_git(policy, facts, allow_git_config, plan, protection);
    guard_policy_files(policy, protection, facts);
}

}  // namespace sbx
