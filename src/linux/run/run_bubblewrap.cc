#include "linux/run/run_bubblewrap.h"

#include <csignal>
#include <memory>

#include "hold/run.h"
#include "linux/render/bwrap.h"
#include "linux/run/caller_state.h"
#include "linux/run/cgroup.h"
#include "linux/run/mount_guard.h"
#include "linux/run/sources.h"
#include "linux/run/spawn.h"
#include "linux/run/supervisor.h"
#include "run/console.h"

namespace sbx {
namespace {

/// Says which limit it was, where the kernel's own counters or the signal prove it.
void name_limit(const Plan& plan, const Cgroups& groups, Outcome& outcome) {
    bool failed = outcome.kind == Outcome::Kind::Signalled ||
                  (outcome.kind == Outcome::Kind::Exited && outcome.value != 0);
    if (!failed) {
        return;
    }
    std::vector<std::string> keys = groups.reached();
    if (plan.limits.file_size && outcome.kind == Outcome::Kind::Signalled && outcome.value == SIGXFSZ) {
        keys.emplace_back("limits.fileSize");
    }
    for (const auto& key : keys) {
        outcome.error.code = "limit";
        outcome.error.message += (outcome.error.message.empty() ? "" : "\n") + ("the limit was reached: " + key);
    }
}

}  // namespace

Outcome run_bubblewrap(const Plan& plan, const HostFacts& facts, const RunOptions& options) {
    auto caller = take_caller_state();
    if (!caller.ok()) {
        return Outcome::failed(caller.error());
    }
    for (int fd : plan.keep_fds) {
        if (auto usable = check_descriptor(fd); !usable.ok()) {
            return Outcome::failed(usable.error());
        }
    }
    if (auto same = check_sources(plan); !same.ok()) {
        return Outcome::failed(same.error());
    }
    auto launch = render_bwrap(plan, facts);
    if (!launch.ok()) {
        return Outcome::failed(launch.error());
    }
    auto groups = Cgroups::make(plan, facts);
    if (!groups.ok()) {
        return Outcome::failed(groups.error());
    }
    bool holds = hold::is_needed(plan);
    if (holds) {
        launch->inner.header.flags |= wire::kWaitForRelease;
    }
    auto spawned = spawn_bwrap(*launch, *caller, {groups->entrances()});
    if (!spawned.ok()) {
        return Outcome::failed(spawned.error());
    }
    MountGuard guard(launch->protective);
    SupervisorOptions supervision;
    Terminal terminal;
    std::unique_ptr<hold::Session> session;
    if (holds) {
        // While bwrap starts: the command waits until all of this is there.
        auto begun = hold::begin(plan, facts, &terminal);
        if (!begun.ok()) {
            end_sandbox(*spawned);
            return Outcome::failed(begun.error());
        }
        session = std::move(*begun);
        supervision.reserved = &session->reserved();
        supervision.before_release = [&session](pid_t inner) { return session->watch(inner); };
    }
    if (!launch->protective.empty()) {
        supervision.guard = &guard;
        supervision.notes = !options.quiet;
    }
    supervision.timeout_ms = plan.limits.timeout_ms;
    supervision.status = StatusWriter(options.json_status_fd);
    Outcome outcome = supervise(*spawned, *caller, supervision, terminal);
    name_limit(plan, *groups, outcome);
    if (session) {
        for (const auto& note : hold::describe(session->finish())) {
            if (!options.quiet) {
                say(note);
            }
        }
    }
    return outcome;
}

}  // namespace sbx
