#include "plan/build.h"

#include <algorithm>

#include "plan/descriptors.h"
#include "plan/environment.h"
#include "plan/guard_handover.h"
#include "plan/mac.h"
#include "plan/mac_handover.h"
#include "plan/mounts.h"
#include "plan/places.h"
#include "util/text.h"

namespace sbx {
namespace {

Backend choose_backend(const Policy& policy, const HostFacts& facts, const Plan& plan) {
    if (policy.mode.value == Mode::Bypass && !plan.tainted && !plan.untrusted) {
        return Backend::Native;
    }
    switch (policy.backend.value) {
        case BackendChoice::Native: return Backend::Native;
        case BackendChoice::Bubblewrap: return Backend::Bubblewrap;
        case BackendChoice::SandboxExec: return Backend::SandboxExec;
        case BackendChoice::Container: return Backend::Container;
        case BackendChoice::Auto: break;
    }
    return facts.platform == Platform::Mac ? Backend::SandboxExec : Backend::Bubblewrap;
}

/// Why this machine does not have `backend`; "" when it has it. A bwrap that is there but may not be
/// trusted is no such case: that is to be repaired, not to be done without.
std::string_view missing_backend(Backend backend, const HostFacts& facts) {
    bool mac = facts.platform == Platform::Mac;
    if (backend == Backend::Bubblewrap) {
        bool installed = !facts.linux_.bwrap.empty() || facts.linux_.bwrap_problem != "not-installed";
        return mac ? "not-linux" : installed ? "" : "not-installed";
    }
    if (backend == Backend::SandboxExec) {
        return !mac ? "not-darwin" : facts.mac.sandbox_exec ? "" : "not-installed";
    }
    return "";
}

/// fallback-native covers exactly one case (C24): a backend that this machine does not have. Never in a
/// guarded run, and never in place of a guest, whose profiles promise what nothing else gives.
void fall_back(const Policy& policy, const HostFacts& facts, Plan& plan) {
    std::string_view reason = missing_backend(plan.backend, facts);
    if (reason.empty() || policy.failure_mode.value != FailureMode::FallbackNative || plan.tainted || plan.untrusted) {
        return;
    }
    plan.warnings.push_back(std::string("no sandbox: ") +
                            (plan.backend == Backend::Bubblewrap ? "bubblewrap" : "sandbox-exec") +
                            " is not available here (" + std::string(reason) +
                            "), so the command can do what you can (fallback-native: " +
                            policy.failure_mode.origin.text() + ")");
    plan.backend = Backend::Native;
}

/// Nothing would hold them: said rather than ignored.
void warn_of_limits(Plan& plan) {
    const Limits& limits = plan.limits;
    bool any = limits.timeout_ms || limits.memory || limits.processes || limits.cpus || limits.file_size ||
               limits.open_files;
    if (any && plan.backend == Backend::Native) {
        plan.warnings.push_back("without a sandbox no limit holds: [limits] is ignored");
    }
}

/// Each variable that only its name kept out (C16); never its value.
void note_dropped(const std::vector<std::string>& dropped, Plan& plan) {
    for (const std::string& name : dropped) {
        plan.left_out.push_back("variable " + printable_line(name) +
                                " is not passed: its name looks like a secret or makes programs load code; --env " +
                                shell_quote(printable_line(name)) + " would pass it");
    }
}

Limits plan_limits(const LimitsPolicy& policy) {
    return {policy.timeout_ms.value, policy.memory.value,    policy.processes.value,
            policy.cpus.value,       policy.file_size.value, policy.open_files.value};
}

/// The outermost folders that the command can write, and what hold/ must know to watch them.
HandoverPlan plan_handover(const Policy& policy, const HostFacts& facts, const Plan& plan) {
    HandoverPlan handover;
    handover.handover = policy.guards.handover.value;
    handover.hold_instructions = guards_instructions(policy, plan);
    handover.report_instructions = policy.guards.instructions.value != GuardWhen::Off;
    for (const Mount& mount : plan.mounts) {
        bool root = mount.kind == Mount::Kind::Bind && mount.access == Access::Write && mount.is_directory &&
                    (mount.purpose == Purpose::Worktree || mount.purpose == Purpose::WriteGrant ||
                     mount.purpose == Purpose::Git);
        bool inner = std::any_of(plan.mounts.begin(), plan.mounts.end(), [&](const Mount& other) {
            return other.kind == Mount::Kind::Bind && other.access == Access::Write &&
                   other.destination != mount.destination && path_within(mount.destination, other.destination) &&
                   (other.purpose == Purpose::Worktree || other.purpose == Purpose::WriteGrant);
        });
        if (root && !inner) {
            handover.roots.push_back(mount.source);
        }
    }
    for (const Mount& mount : plan.mounts) {
        if (mount.purpose == Purpose::Guard && mount.access == Access::Read) {
            handover.read_only.push_back(mount.destination);
        }
    }
    handover.home = facts.home;
    for (const GitDirectory& directory : facts.git_directories) {
        handover.git_dirs.push_back(directory.path);
    }
    if (facts.git && facts.git->trusted) {
        handover.git_dirs.push_back(facts.git->entry);
        handover.hooks = facts.git->hooks_paths;
        handover.top_level = facts.git->top_level;
        handover.git_dir = facts.git->git_dir;
        handover.common_dir = facts.git->common_dir;
    }
    return handover;
}

/// Where the command starts: where the caller is, if the command can see that; else the worktree.
std::string choose_cwd(const HostFacts& facts, const Plan& plan) {
    for (const Mount& mount : plan.mounts) {
        if (mount.kind == Mount::Kind::Bind && path_within(facts.cwd, mount.destination)) {
            return facts.cwd;
        }
    }
    return plan.worktree;
}

}  // namespace

Result<Plan> build_plan(const Policy& policy, const HostFacts& facts, const Invocation& invocation) {
    Plan plan;
    plan.tainted = policy.tainted.value;
    plan.untrusted = policy.trust.value == Trust::Untrusted;
    plan.backend = choose_backend(policy, facts, plan);
    if (!invocation.exact_backend) {
        fall_back(policy, facts, plan);
    }
    plan.argv = invocation.argv;
    plan.keep_fds = plan_descriptors(facts, invocation);
    plan.limits = plan_limits(policy.limits);
    warn_of_limits(plan);
    plan.nested = policy.nested.value;
    plan.system_read = policy.system_read.value;
    plan.vm = policy.vm;
    plan.new_session = !facts.has_terminal;
    plan.home = facts.home.empty() ? kFallbackHome : facts.home;
    plan.network.mode = policy.network.value;
    plan.network.origin = policy.network.origin;
    plan.network.allow_4040 = policy.port_4040_override.value;
    for (const auto& entry : policy.ports) {
        plan.network.ports.push_back(entry.port);
    }
    std::vector<std::string> dropped;
    if (plan.backend == Backend::Container && *plan.vm.profile != VmProfile::None) {
        // Nothing of this machine is mapped, so it does not matter where the caller is: also in the home.
        plan.cwd = plan.home = kTempDirectory;
        plan.environment = plan_environment(policy, facts, plan, dropped);
        note_dropped(dropped, plan);
        return plan;
    }
    bool mac = plan.backend == Backend::SandboxExec;
    if (mac) {
        SBX_CHECK(add_mac_system(policy, facts, plan));
    } else {
        if (plan.nested == Nested::Weaker) {
            plan.notes.push_back(policy.nested.origin.text() +
                                 ": nested = \"weaker\": the command sees this container's processes in /proc, may "
                                 "make user namespaces, and there are no Landlock file rules");
        }
        add_system(policy, facts, plan);
        add_home(policy, facts, plan);
    }
    SBX_CHECK(add_grants(policy, facts, plan));
    if (mac) {
        add_mac_home(policy, facts, invocation.id, plan);
    } else {
        add_kept_home(policy, facts, invocation.id, plan);
    }
    SBX_CHECK(add_toolchains(policy, facts, plan));
    if (!mac) {
        finish_system(policy, facts, plan);
    }
    add_links(facts, plan);
    plan.cwd = choose_cwd(facts, plan);
    SBX_CHECK(add_protection(policy, facts, invocation.allow_git_config, plan));
    if (mac) {
        add_mac_protection(policy, facts, invocation.allow_git_config, plan);
    }
    plan.handover = plan_handover(policy, facts, plan);
    if (mac) {
        add_mac_handover(policy, facts, plan);
    }
    order_mounts(plan);
    plan.environment = plan_environment(policy, facts, plan, dropped);
    note_dropped(dropped, plan);
    return plan;
}

}  // namespace sbx
