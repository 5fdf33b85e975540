// The parts of a Plan's mount list. Pure; each appends to `plan`.
#pragma once

#include <string>

#include "host/facts.h"
#include "plan/plan.h"
#include "policy/policy.h"
#include "util/result.h"

namespace sbx {

/// /usr and its kin, /etc, /dev, /proc, /tmp.
void add_system(const Policy& policy, const HostFacts& facts, Plan& plan);

/// Masks for what find_private() has found, where the plan shows it.
std::vector<Mount> private_masks(const std::vector<std::string>& found, const Plan& plan);

/// What a complete plan lacks to make the files `paths` read-only where they can be written: guards and pins,
/// parents before children.
std::vector<Mount> guards_for(const std::vector<std::string>& paths, const Plan& plan, const HostFacts& facts);

/// What of the system depends on the grants: /var/tmp, and masks over what is not for everybody. Comes
/// after them.
void finish_system(const Policy& policy, const HostFacts& facts, Plan& plan);

/// Contents of ~/.gitconfig inside: the user's name, e-mail and harmless keys.
std::string generated_git_config(const HostFacts& facts);

/// The private home with the generated git configuration; nothing for one that is kept.
void add_home(const Policy& policy, const HostFacts& facts, Plan& plan);

/// The folder of a home that is kept: one for each worktree, or for each `id` (P28). Needs plan.worktree.
std::string persistent_home(const HostFacts& facts, const Plan& plan, const std::string& id);

/// The home that is kept, where add_home() left it out. Comes after the grants, which choose the worktree.
void add_kept_home(const Policy& policy, const HostFacts& facts, const std::string& id, Plan& plan);

/// The worktree, the repository around it, and what the policy grants.
Result<void> add_grants(const Policy& policy, const HostFacts& facts, Plan& plan);

/// The language installations below the home. Comes after the grants: what those show is left to them.
/// Error: "invalid_path" when the policy lists the home itself.
Result<void> add_toolchains(const Policy& policy, const HostFacts& facts, Plan& plan);

/// The symbolic links that lead to what is mounted; after everything that mounts, so that none is made
/// below a bind.
void add_links(const HostFacts& facts, Plan& plan);

/// Guards, pins, masks and placeholders. The mounts that grant must be there already.
Result<void> add_protection(const Policy& policy, const HostFacts& facts, bool allow_git_config, Plan& plan);

/// Brings the list into the order in which it must be applied: parents before children, pins, guards
/// and masks after everything they lie in; drops doubled binds.
void order_mounts(Plan& plan);

/// The writable bind that `path` lies in; nullptr when there is none.
const Mount* writable_root(const Plan& plan, const std::string& path);

}  // namespace sbx
