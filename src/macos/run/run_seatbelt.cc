#include "macos/run/run_seatbelt.h"

#include <fcntl.h>
#include <unistd.h>

#include <memory>
#include <optional>

#include "hold/run.h"
#include "plan/mounts.h"
#include "macos/render/messages.h"
#include "macos/render/seatbelt.h"
#include "macos/run/child.h"
#include "macos/run/denial_log.h"
#include "macos/run/find_command.h"
#include "macos/run/guardian.h"
#include "macos/run/private_places.h"
#include "macos/run/tool.h"
#include "run/console.h"

namespace sbx {
namespace {

constexpr int kPreflightMs = 10'000;   // a nested sandbox was seen to hang instead of failing (Homebrew)

/// Standard streams that are closed become /dev/null, or the next descriptor that is opened would be
/// the command's input.
Result<void> check_descriptors(const Plan& plan) {
    for (int fd = 0; fd < 3; ++fd) {
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd) {
            return Error{"io", "/dev/null cannot be opened", ""};
        }
        SBX_CHECK(check_descriptor_mac(fd));
    }
    for (int fd : plan.keep_fds) {
        SBX_CHECK(check_descriptor_mac(fd));
    }
    return {};
}

/// One run of a program that does nothing: whatever sandbox-exec itself has to say comes out here, and
/// never mixes with the command's own output and status.
Result<void> preflight(const SeatbeltTools& tools, const std::string& profile_file) {
    SBX_ASSIGN(ToolResult result,
               run_tool(seatbelt_command(tools.sandbox_exec, profile_file, {tools.probe}), kPreflightMs));
    if (result.status != 0) {
        return explain_seatbelt_failure(result.status, result.errors);
    }
    return {};
}

void say_hint(const Outcome& outcome, const HostFacts& facts, const RunOptions& options) {
    bool failed = outcome.kind == Outcome::Kind::Exited && outcome.value != 0;
    if (failed && !options.quiet && (facts.terminal_output || options.verbose)) {
        say(seatbelt_hint());
    }
}

Plan with_mounts(Plan plan, const std::vector<Mount>& more) {
    plan.mounts.insert(plan.mounts.end(), more.begin(), more.end());
    return plan;
}

Result<Outcome> run(const Plan& plan, const HostFacts& facts, const RunOptions& options, const SeatbeltTools& tools) {
    SBX_CHECK(check_descriptors(plan));
    SeatbeltOptions rendering;
    rendering.denial_tag = options.log_denials ? run_mark(facts) : "";
    // Before the profile: what is too large to be kept must be denied in it.
    std::unique_ptr<hold::Session> session;
    std::vector<Mount> guards;
    if (hold::is_needed(plan)) {
        SBX_ASSIGN(session, hold::begin(plan, facts));
        guards = guards_for(session->unkept(), plan, facts);
    }
    SBX_ASSIGN(std::string profile, render_seatbelt(guards.empty() ? plan : with_mounts(plan, guards), facts, rendering));
    // From here on a signal must not keep the private places from being removed.
    CallerSignals caller = take_caller_signals();
    SBX_ASSIGN(PrivatePlaces places, PrivatePlaces::make(plan, facts));
    if (auto refused = check_command(plan)) {
        return *refused;
    }
    SBX_ASSIGN(std::string profile_file, places.write_profile(profile));
    SBX_ASSIGN(RunGuardian guardian, RunGuardian::start(run_mark(facts), facts.mac.run_directory));
    SBX_CHECK(preflight(tools, profile_file));
    std::optional<DenialLog> log;
    if (options.log_denials) {
        SBX_ASSIGN(DenialLog started, DenialLog::start(tools.log, rendering.denial_tag));
        log.emplace(std::move(started));
    }
    ChildOptions child;
    child.argv = seatbelt_command(tools.sandbox_exec, profile_file, plan.argv);
    child.mark = run_mark(facts);
    child.status = StatusWriter(options.json_status_fd);
    child.before_start = [&guardian](pid_t pid) { return guardian.watch(pid); };
    if (session) {
        // Not the command: what that has left behind goes on after it and could write again.
        SBX_CHECK(session->watch(guardian.pid()));
    }
    Outcome outcome = run_child(plan, caller, child);
    guardian.finish();
    if (session) {
        for (const auto& note : hold::describe(session->finish())) {
            if (!options.quiet) {
                say(note);
            }
        }
    }
    if (log) {
        for (const auto& denial : log->stop()) {
            say("denied: " + denial);
        }
    }
    say_hint(outcome, facts, options);
    return outcome;
}

}  // namespace

Outcome run_seatbelt(const Plan& plan, const HostFacts& facts, const RunOptions& options,
                     const SeatbeltTools& tools) {
    if (!facts.mac.sandbox_exec) {
        return Outcome::failed(seatbelt_unavailable());
    }
    if (facts.mac.inside_sandbox) {
        return Outcome::failed(seatbelt_nested(""));
    }
    auto outcome = run(plan, facts, options, tools);
    return outcome.ok() ? *outcome : Outcome::failed(outcome.error());
}

}  // namespace sbx
