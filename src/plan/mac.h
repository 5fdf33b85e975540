// The parts of a Plan that a Mac has in place of Linux's private mounts. Pure.
#pragma once

#include <string>

#include "host/facts.h"
#include "plan/plan.h"
#include "policy/policy.h"
#include "util/result.h"

namespace sbx {

/// The private places of one run. Seatbelt cannot remount, so they are real directories that the runner
/// makes beforehand and removes afterwards (C15).
struct MacPlaces {
    std::string home;   ///< $HOME, for home = "private"
    std::string temp;   ///< $TMPDIR
};
MacPlaces mac_places(const HostFacts& facts);

/// The system's fixed part, /dev, shared and private temp. Takes the place of add_system().
/// Error "not_expressible": the policy asks for a limit or nesting that macOS has no means for.
Result<void> add_mac_system(const Policy& policy, const HostFacts& facts, Plan& plan);

/// The home with its git configuration. Takes the place of add_home(); needs plan.worktree, which names the persistent home when `id` is empty. Sets plan.home.
void add_mac_home(const Policy& policy, const HostFacts& facts, const std::string& id, Plan& plan);

/// Guards that need no file to hold on to (P50), and masks on what a grant may have opened: the
/// keychains, launch agents, xcrun's cache. Comes after the grants; order_mounts() follows.
void add_mac_protection(const Policy& policy, const HostFacts& facts, bool allow_git_config, Plan& plan);

/// Variables by which a toolchain below the caller's home is found although $HOME leads elsewhere.
std::vector<EnvironmentEntry> mac_toolchain_environment(const HostFacts& facts);

/// Empty, or why `path` cannot be a worktree on a Mac.
std::string mac_refused_worktree(const std::string& path);

}  // namespace sbx
