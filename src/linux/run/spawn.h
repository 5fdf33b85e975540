// Starts bwrap with exactly the descriptors that the launch names.
#pragma once

#include <sys/types.h>

#include <vector>

#include "linux/render/bwrap.h"
#include "linux/run/caller_state.h"
#include "linux/run/waiting_bwrap.h"
#include "util/result.h"

namespace sbx {

using Spawned = WaitingBwrap::Ends;

/// Gives up sbx's own capabilities when it is not root, and lets bwrap make the sandbox: the one that waits already
/// where it fits, else another. `cgroups` are descriptors of cgroup.procs files that bwrap is put into before.
Result<Spawned> spawn_bwrap(LinuxLaunch& launch, const CallerState& caller, const std::vector<int>& cgroups,
                            EarlyStart* early);

/// Ends a sandbox whose command waits for its release, and waits for bwrap's end.
void end_sandbox(Spawned& spawned);

/// Waits for bwrap's end, which comes by itself once process 1 inside is gone.
void wait_for_bwrap(const Spawned& spawned);

/// Kills bwrap and its child, without waiting. bwrap's child waits for its parent on an eventfd before it
/// binds its life to it: killing only the parent in that moment would leave it there for good, with the
/// caller's descriptors.
void kill_starting_bwrap(pid_t bwrap);

/// Ends what a bwrap has left that somebody else killed: it is a child of sbx now.
void end_orphans();

}  // namespace sbx
