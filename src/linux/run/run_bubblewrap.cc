#include "linux/run/run_bubblewrap.h"

#include <csignal>
#include <memory>

#include "hold/run.h"
#include "host/linux/system_paths.h"
#include "linux/render/bwrap.h"
#include "linux/render/limits.h"
#include "linux/run/caller_state.h"
#include "linux/run/cgroup.h"
#include "linux/run/mount_guard.h"
#include "linux/run/sources.h"
#include "linux/run/spawn.h"
#include "linux/run/supervisor.h"
#include "plan/mounts.h"
#include "run/console.h"

namespace sbx {
namespace {

/// The limits in force of which nobody can tell whether they were reached.
std::string uncounted_limits(const Plan& plan, const HostFacts& facts) {
    std::string keys;
    auto add = [&keys](bool set, const char* key) { keys += set ? (keys.empty() ? "" : ", ") + std::string(key) : ""; };
    add(plan.limits.memory && !has_controller(facts, "memory"), "limits.memory");
    add(plan.limits.processes && facts.uid != 0, "limits.processes");
    add(plan.limits.open_files.has_value(), "limits.openFiles");
    add(plan.limits.file_size.has_value(), "limits.fileSize");
    return keys;
}

/// Says which limit it was, where the kernel's own counters or the signal prove it, else which limits there are.
void name_limit(const Plan& plan, const HostFacts& facts, const RunOptions& options, const Cgroups& groups,
                Outcome& outcome) {
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
    std::string others = keys.empty() && !options.quiet ? uncounted_limits(plan, facts) : "";
    if (!others.empty()) {
        say("the command failed while these limits were in force (the kernel does not tell whether it reached one): " + others);
    }
}

/// Looks for them while bwrap starts: it takes as root, and only then, as long as everything else before.
Result<void> mask_private(const Plan& plan, std::vector<ProtectiveMount>& protective) {
    for (const std::string& root : plan.private_roots) {
        SBX_ASSIGN(std::vector<std::string> found, find_private(root));
        for (const Mount& mask : private_masks(found, plan)) {
            protective.push_back(protective_mount(mask));
        }
    }
    return {};
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
    Terminal terminal;
    bool holds = hold::is_needed(plan) || terminal.descriptor() >= 0;
    auto spawned = spawn_bwrap(*launch, *caller, groups->entrances(), options.early.get());
    if (!spawned.ok()) {
        return Outcome::failed(spawned.error());
    }
    if (auto masked = mask_private(plan, launch->protective); !masked.ok()) {
        end_sandbox(*spawned);
        return Outcome::failed(masked.error());
    }
    SupervisorOptions supervision;
    std::unique_ptr<hold::Session> session;
    if (holds) {
        // While bwrap starts: the command waits until all of this is there.
        auto begun = hold::begin(plan, facts, &terminal);
        if (!begun.ok()) {
            end_sandbox(*spawned);
            return Outcome::failed(begun.error());
        }
        session = std::move(*begun);
        for (const Mount& unkept : guards_for(session->unkept(), plan, facts)) {
            launch->protective.push_back(protective_mount(unkept));
            launch->protective.back().guard = false;  // nobody has its content, so it cannot be compared
        }
        supervision.reserved = &session->reserved();
        supervision.before_release = [&session](pid_t inner) { return session->watch(inner); };
    }
    MountGuard guard(launch->protective);
    if (!launch->protective.empty()) {
        if (auto known = guard.remember_files(); !known.ok()) {
            end_sandbox(*spawned);
            return Outcome::failed(known.error());
        }
        supervision.guard = &guard;
        supervision.notes = !options.quiet;
    }
    supervision.timeout_ms = plan.limits.timeout_ms;
    supervision.status = StatusWriter(options.json_status_fd);
    Outcome outcome = supervise(*spawned, *caller, supervision, terminal);
    guard.leave();
    name_limit(plan, facts, options, *groups, outcome);
    if (session) {
        for (const auto& note : hold::describe(session->finish())) {
            if (!options.quiet) {
                say(note);
            }
        }
    }
    wait_for_bwrap(*spawned);
    return outcome;
}

}  // namespace sbx
