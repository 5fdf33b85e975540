#include "plan/guard_git.h"

#include <algorithm>

#include "util/text.h"

namespace sbx {
namespace {

constexpr const char* kRule = "guards.git";

class GitGuard {
  public:
    GitGuard(const Policy& policy, const HostFacts& facts, bool allow_git_config, Plan& plan, Protector& protector)
        : policy_(policy),
          facts_(facts),
          git_(*facts.git),
          allow_git_config_(allow_git_config),
          plan_(plan),
          protector_(protector),
          origin_(policy.guards.git.origin) {}

    void run() {
        std::string worktrees = path_join(git_.common_dir, "worktrees");
        for (const GitDirectory& directory : facts_.git_directories) {
            bool linked = path_parent(directory.path) == worktrees;
            guard_directory(directory, linked, linked && directory.path != git_.git_dir);
        }
        if (git_.entry_is_link) {
            protector_.pin_link(git_.entry, origin_, kRule);
        } else if (git_.entry_is_file) {
            protector_.guard(git_.entry, FileKind::File, origin_, kRule);
        }
        guard_led_to(git_.includes, FileKind::File);
        if (policy_.guards.handover.value != Handover::Hold) {
            // With "hold" the command may have its own version of tracked hooks; they are put back later.
            guard_led_to(git_.hooks_paths, FileKind::Directory);
        }
    }

  private:
    /// `other`: of a worktree that this run has nothing to do with. Only its pointers are guarded, since
    /// git gc locks every worktree's HEAD. The user may remove it meanwhile.
    void guard_directory(const GitDirectory& directory, bool linked, bool other) {
        for (size_t i = 0; i < directory.existing.size(); ++i) {
            const std::string& name = directory.existing[i];
            bool let_through = allow_git_config_ && (name == "config" || name == "config.worktree");
            if (!let_through) {
                FileKind usual = name == "hooks" ? FileKind::Directory : FileKind::File;
                FileKind kind = i < directory.kinds.size() ? directory.kinds[i] : usual;
                if (protector_.guard(path_join(directory.path, name), kind, origin_, kRule)) {
                    plan_.mounts.back().may_be_gone = other;
                }
            }
        }
        for (const std::string& name : directory.missing) {
            place(directory.path, name, linked);
        }
    }

    /// A name that is free could be taken by the command: `commondir` would lead git to a whole other
    /// configuration. What stands in for it is what git assumes when there is nothing. But everybody who looks
    /// into .git during the run would see it there; so, unless the policy wants the stronger protection, the
    /// name is only watched, since nobody ever makes one.
    void place(const std::string& directory, const std::string& name, bool linked) {
        if (!git_.writable) {
            return;
        }
        Placeholder placeholder;
        placeholder.path = path_join(directory, name);
        bool watched = policy_.guards.handover.value != Handover::Protect;
        if (name == "commondir" && !linked && watched) {
            if (!protector_.writable_root(directory).empty()) {
                plan_.reserved.push_back(std::move(placeholder.path));
            }
            return;
        }
        if (name == "commondir" && !linked) {
            placeholder.data = ".\n";
        } else if (name == "hooks" && !linked) {
            placeholder.is_directory = true;
        } else if (name != "config.worktree" || !git_.worktree_config || allow_git_config_) {
            return;
        }
        FileKind kind = placeholder.is_directory ? FileKind::Directory : FileKind::File;
        if (protector_.guard(placeholder.path, kind, origin_, kRule)) {
            plan_.placeholders.push_back(std::move(placeholder));
        }
    }

    /// What the repository's configuration names. Its spelling may go through links.
    void guard_led_to(const std::vector<std::string>& paths, FileKind usual) {
        for (const std::string& path : paths) {
            auto found = facts_.paths.find(path);
            if (found == facts_.paths.end()) {
                protector_.guard(path, usual, origin_, kRule);
            } else if (found->second.is_link) {
                protector_.guard(path, FileKind::Symlink, origin_, kRule);
            } else {
                protector_.guard(found->second.resolved, found->second.kind, origin_, kRule);
            }
        }
    }

    const Policy& policy_;
    const HostFacts& facts_;
    const GitFacts& git_;
    bool allow_git_config_;
    Plan& plan_;
    Protector& protector_;
    const Origin& origin_;
};

}  // namespace

void guard_git(const Policy& policy, const HostFacts& facts, bool allow_git_config, Plan& plan,
               Protector& protector) {
    GuardWhen when = policy.guards.git.value;
    bool active = when == GuardWhen::Always || (when == GuardWhen::Tainted && plan.tainted);
    if (active && facts.git && facts.git->trusted) {
        GitGuard(policy, facts, allow_git_config, plan, protector).run();
    }
}

}  // namespace sbx
