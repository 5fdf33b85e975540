// The guest's init: loads the firewall of its profile or refuses, gives up every privilege, proves it,
// and only then runs the command.
//
// usage: init COMMAND [ARGUMENT...]     settings in SANDBOX_* variables, see vm/render/guest.h
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vm/guest/command.h"
#include "vm/guest/firewall.h"
#include "vm/guest/privileges.h"
#include "vm/guest/selftest.h"
#include "vm/guest/settings.h"
#include "vm/render/guest.h"

namespace sbx::guest {
namespace {

// Too large for the stack of a small process, and there is only one of each.
Settings settings;
FileText file;
FileText rules;
AddressList allowed;

int refuse(const char* reason) {
    Message line;
    line.add("sbx: ");
    line.add(reason);
    line.add("\n");
    (void)!write(2, line.data(), line.length());
    return vm::kRefused;
}

constexpr const char* kNoFirewall = "could not load the sandbox firewall; refusing to start";

/// The network must be as the profile says before anything of the command exists.
const char* check_network(Message& problem, vm::Address& gateway, bool& inbound) {
    FileText& routes = rules;
    bool readable = read_file("/proc/net/route", routes);
    inbound = settings.inbound_port != 0;
    if (inbound && (!readable || !read_gateway(routes.data(), gateway))) {
        return "no default gateway for the published port; refusing to start";
    }
    if (settings.profile == Profile::Files && !inbound) {
        // A kernel without IPv6 has no such file, which is fine.
        bool ipv6 = read_file("/proc/net/if_inet6", file);
        if (!readable || has_network(routes.data(), ipv6 ? file.data() : "")) {
            return "the files profile must have no network, and this guest has one; refusing to start";
        }
    }
    if (settings.profile == Profile::Web && read_file("/etc/resolv.conf", file) &&
        !read_nameservers(file.data(), settings, problem)) {
        return problem.data();
    }
    return nullptr;
}

const char* raise_firewall(Message& problem, const vm::Address* gateway) {
    const char* path = settings.profile == Profile::Web ? vm::kFirewallWeb : vm::kFirewallFiles;
    if (!read_file(path, file) || !build_firewall(file.data(), settings, gateway, rules) ||
        !load_rules(rules.data())) {
        return kNoFirewall;
    }
    if (settings.host_count == 0) {
        return nullptr;
    }
    if (!resolve_hosts(settings, allowed, problem)) {
        return problem.data();
    }
    if (!build_host_rules(allowed, rules) || !load_rules(rules.data())) {
        return kNoFirewall;
    }
    return nullptr;
}

int start(int argc, char** argv, char** environment) {
    Message problem;
    Variables variables;
    variables.profile = getenv(vm::kProfileVariable);
    variables.blocked = getenv(vm::kBlockedVariable);
    variables.inbound = getenv(vm::kInboundVariable);
    variables.hosts = getenv(vm::kHostsVariable);
    variables.selftest = getenv(vm::kSelftestVariable);
    if (!read_settings(variables, settings, problem)) {
        return refuse(problem.data());
    }
    if (argc < 2) {
        return refuse("no command was given");
    }
    vm::Address gateway{};
    bool inbound = false;
    if (const char* reason = check_network(problem, gateway, inbound)) {
        return refuse(reason);
    }
    if (const char* reason = raise_firewall(problem, inbound ? &gateway : nullptr)) {
        return refuse(reason);
    }
    if (settings.selftest) {
        report_root(settings);
    }
    if (!drop_privileges(problem)) {
        return refuse(problem.data());
    }
    umask(022);
    if (settings.selftest) {
        return report_probes(argc - 1, argv + 1);
    }
    clean_environment(environment);
    return run_command(argv + 1, environment);
}

}  // namespace
}  // namespace sbx::guest

int main(int argc, char** argv) {
    // The command has the same user id: it must not be able to attach to this process or read its memory.
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    return sbx::guest::start(argc, argv, environ);
}
