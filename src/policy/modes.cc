#include "policy/modes.h"

#include <algorithm>

#include "host/gather.h"
#include "policy/values.h"
#include "policy/vm_rules.h"
#include "policy/zones.h"
#include "util/text.h"

namespace sbx {
namespace {

void add(LoadedPolicy& loaded, std::string code, const Origin& origin, std::string message, std::string hint) {
    loaded.errors.push_back({std::move(code), origin, std::move(message), std::move(hint), ""});
}

/// A run that is started inside a tainted one is tainted: the environment tightens, never loosens (P18).
void inherit_taint(const HostFacts& facts, Policy& policy) {
    const std::string* variable = facts.variable("SBX_TAINTED");
    if (variable != nullptr && *variable == "1" && !policy.tainted.value) {
        policy.tainted = {true, {Origin::Kind::Environment, "SBX_TAINTED", 0, 0}};
    }
}

void settle_untrusted(LoadedPolicy& loaded) {
    Policy& policy = loaded.policy;
    if (policy.trust.value != Trust::Untrusted) {
        return;
    }
    const Origin& origin = policy.trust.origin;
    if (!policy.allow_untrusted.value) {
        add(loaded, "not_trusted", policy.allow_untrusted.origin, "untrusted runs are refused on this machine",
            "untrusted.allow = true in your own policy permits them");
    }
    if (policy.mode.value != Mode::Auto) {
        loaded.notes.push_back("mode " + std::string(policy.mode.value == Mode::Bypass ? "bypass" : "manual") +
                               " does not apply to an untrusted run; it runs as auto");
        policy.mode = {Mode::Auto, origin};
    }
    if (policy.network.value != NetworkMode::Off) {
        loaded.notes.push_back("an untrusted run has no network (" + policy.network.origin.text() + ")");
        policy.network = {NetworkMode::Off, origin};
    }
    if (policy.home.value != HomeMode::Private) {
        policy.home = {HomeMode::Private, origin};
    }
    policy.worktree_read_only = {true, origin};
    policy.git_common_dir = {GitCommonDir::Read, origin};
    // Nothing but private places is writable (P13): what was granted for writing can still be read.
    policy.read_paths.insert(policy.read_paths.end(), policy.write_paths.begin(), policy.write_paths.end());
    policy.write_paths.clear();
    policy.guards.git = {GuardWhen::Always, origin};
    policy.guards.instructions = {GuardWhen::Always, origin};
}

void settle_mode(const PolicyRequest& request, LoadedPolicy& loaded) {
    Policy& policy = loaded.policy;
    bool tainted = policy.tainted.value;
    if (policy.mode.value == Mode::Bypass) {
        if (tainted && !request.bypass_anyway && !policy.bypass_when_tainted.value) {
            loaded.warnings.push_back("bypass (paused): this run is tainted; --bypass-anyway lets it hold for one run");
            policy.mode = {Mode::Auto, policy.tainted.origin};
        } else {
            policy.backend = {BackendChoice::Native, policy.mode.origin};
        }
    }
    bool guarded = tainted || policy.trust.value == Trust::Untrusted;
    bool untrusted = policy.trust.value == Trust::Untrusted;
    bool anyway = policy.mode.value == Mode::Bypass || (request.bypass_anyway && !untrusted);
    if (guarded && policy.backend.value == BackendChoice::Native && !anyway) {
        add(loaded, "not_confined", policy.backend.origin, "a tainted or untrusted run may not go without a sandbox",
            untrusted ? "choose another backend: sandbox.backend, --backend"
                      : "choose another backend, or say so for this run: --bypass-anyway");
    }
    if (guarded && policy.failure_mode.value == FailureMode::FallbackNative) {
        policy.failure_mode = {FailureMode::FailHard, tainted ? policy.tainted.origin : policy.trust.origin};
    }
    if (tainted && policy.network.value == NetworkMode::On && policy.mode.value != Mode::Bypass &&
        !request.allow_tainted_network) {
        add(loaded, "tainted_network", policy.network.origin,
            "this run is tainted (" + policy.tainted.origin.text() + ") and would have the network",
            "drop one of the two, or say so for this run: --allow-tainted-network");
    }
}

/// Never silently (C1, P59, P88).
void note_native(LoadedPolicy& loaded) {
    const Policy& policy = loaded.policy;
    if (policy.backend.value == BackendChoice::Native && loaded.errors.empty()) {
        loaded.warnings.push_back("no sandbox: the command can do what you can (" + policy.backend.origin.text() + ")");
    }
}

void check_ports(LoadedPolicy& loaded) {
    const Policy& policy = loaded.policy;
    for (const PortEntry& port : policy.ports) {
        if (port.port == kReservedPort && !policy.port_4040_override.value) {
            add(loaded, "reserved_port", port.origin, std::string(kReservedPortMessage),
                "sandbox.allowPort4040Override = true, in your own policy, would accept it; sandbox-exec blocks it "
                "all the same");
        }
    }
    // Of the host's port; here there is no override (C14).
    if (published_port(policy.vm.publish.value) == kReservedPort) {
        add(loaded, "reserved_port", policy.vm.publish.origin, std::string(kReservedPortMessage),
            "choose another port of the host: vm.publish takes 127.0.0.1:HOSTPORT:GUESTPORT");
    }
}

/// Where pnpm keeps its store unless told otherwise. Not the folder around it: that one holds the programs
/// that `pnpm add --global` put onto PATH, and pnpm itself. pnpm is not asked: it would believe the
/// project's own .npmrc, which may name any folder (F9).
std::string pnpm_store(const HostFacts& facts) {
    const std::string* data = facts.variable("XDG_DATA_HOME");
    if (data != nullptr && !data->empty() && data->front() == '/') {
        return path_join(*data, "pnpm/store");
    }
    return facts.platform == Platform::Mac ? "~/Library/pnpm/store" : "~/.local/share/pnpm/store";
}

/// Fusion's standard worktree: network on unless something else was said, the pnpm store writable when
/// it exists. `.fusion` is never among the grants (F22 to F25).
void apply_preset(const HostFacts& facts, Policy& policy) {
    if (policy.preset.value != Preset::FusionWorktree) {
        return;
    }
    if (policy.network.is_built_in()) {
        policy.network = {NetworkMode::On, policy.preset.origin};
    }
    PathEntry store;
    store.text = pnpm_store(facts);
    store.base = facts.cwd;
    store.optional = true;
    store.origin = policy.preset.origin;
    policy.write_paths.push_back(std::move(store));
}

/// A path in a home needs a home.
void check_home(const HostFacts& facts, LoadedPolicy& loaded) {
    if (!facts.home.empty()) {
        return;
    }
    const Policy& policy = loaded.policy;
    std::vector<const std::vector<PathEntry>*> lists = {&policy.read_paths, &policy.write_paths,
                                                        &policy.toolchain_paths, &policy.guards.paths};
    for (const auto* list : lists) {
        for (const PathEntry& entry : *list) {
            if (entry.text.front() == '~' && !entry.optional) {
                add(loaded, "invalid_path", entry.origin, "there is no home directory for " + entry.text,
                    "set HOME, or write the whole path");
            }
        }
    }
}

/// As it is written; where it leads is looked at when it is used.
void check_worktree_value(const HostFacts& facts, LoadedPolicy& loaded) {
    const auto& worktree = loaded.policy.worktree;
    if (!worktree) {
        return;
    }
    if (auto usable = check_worktree(loaded.policy, facts, expand_path(*worktree, facts), Origin::built_in()); !usable) {
        add(loaded, usable.error().code, worktree->origin, usable.error().message, usable.error().hint);
    }
}

}  // namespace

void check_values(LoadedPolicy& loaded) {
    check_ports(loaded);
    check_vm_values(loaded);
}

void settle(const HostFacts& facts, const PolicyRequest& request, LoadedPolicy& loaded) {
    inherit_taint(facts, loaded.policy);
    apply_preset(facts, loaded.policy);
    settle_untrusted(loaded);
    settle_mode(request, loaded);
    note_native(loaded);
    check_values(loaded);
    check_vm_profile(loaded);
    check_home(facts, loaded);
    check_worktree_value(facts, loaded);
}

}  // namespace sbx
