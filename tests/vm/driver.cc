// Drives the container backend from a script: on Linux, `sbx` itself has no such backend.
//
// usage: vm_driver TOOL ACTION [KEY=VALUE...] -- COMMAND...
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "run/console.h"
#include "run/run.h"
#include "run/status_writer.h"
#include "util/fd.h"
#include "vm/render/container.h"
#include "vm/render/report.h"
#include "vm/run/run_container.h"

namespace sbx {
namespace {

using Values = std::map<std::string, std::string>;

HostFacts make_facts(const char* tool) {
    HostFacts facts;
    facts.vm.container = tool;
    facts.uid = 1000;
    facts.gid = 1000;
    for (const char* name : {"HOME", "PATH"}) {
        if (const char* value = std::getenv(name)) {
            facts.environment.emplace_back(name, value);
        }
    }
    return facts;
}

Mount folder_mount(const std::string& path) {
    Mount mount;
    mount.purpose = Purpose::Worktree;
    mount.source = mount.destination = path;
    mount.access = Access::Write;
    return mount;
}

Plan make_plan(const Values& values, HostFacts& facts) {
    Plan plan;
    plan.backend = Backend::Container;
    auto value = [&](const char* key) { return values.count(key) != 0 ? values.at(key) : ""; };
    plan.vm.image.value = value("image");
    if (!value("worktree").empty()) {
        plan.worktree = plan.cwd = value("worktree");
        plan.mounts.push_back(folder_mount(plan.worktree));
    }
    if (!value("file").empty()) {
        Mount mount = folder_mount(value("file"));
        mount.purpose = Purpose::ReadGrant;
        mount.access = Access::Read;
        mount.is_directory = false;
        plan.mounts.push_back(mount);
    }
    if (value("profile") == "web") {
        plan.vm.profile.value = VmProfile::Web;
        plan.network.mode = NetworkMode::On;
    } else if (value("profile") == "files") {
        plan.vm.profile.value = VmProfile::Files;
        VmFolder folder;
        folder.path.text = value("folder");
        plan.vm.folders.push_back(folder);
        facts.paths[value("folder")].resolved = value("folder");
        facts.paths[value("folder")].kind = FileKind::Directory;
    }
    if (!value("hold").empty()) {
        plan.handover.handover = Handover::Hold;
        plan.handover.roots = {plan.worktree};
        facts.state_dir = value("hold");
        facts.live_dir = facts.state_dir + "-live";
    }
    if (!value("timeout").empty()) {
        plan.limits.timeout_ms = std::stol(value("timeout"));
    }
    if (!value("secret").empty()) {
        plan.environment.push_back({"API_TOKEN", value("secret"), Origin::flag("--set")});
    }
    return plan;
}

/// For a guest that another program boots: which probes it gets, and what its report on stdin is worth.
int without_a_tool(const std::string& action, VmProfile profile) {
    vm::SelftestCase test;
    test.profile = profile;
    test.scan_gateway = false;
    test.public_host = profile == VmProfile::Web ? "" : "example.com";
    test.bomb_bytes = int64_t{4} << 30;
    std::string text;
    if (action == "probes") {
        for (const auto& probe : vm::selftest_probes(test)) {
            text += probe + "\n";
        }
        return write_all(STDOUT_FILENO, text).ok() ? 0 : 1;
    }
    auto report = read_all(STDIN_FILENO, 1024 * 1024);
    if (!report) {
        return 1;
    }
    auto checks = vm::judge_report(test, *report);
    for (const auto& check : checks) {
        // Nothing is shared with this guest.
        if (check.text.find("shared folder") == std::string::npos &&
            check.text.find("a link to") == std::string::npos) {
            text += vm::check_line(check) + "\n";
        }
    }
    (void)write_all(STDOUT_FILENO, text);
    return text.find("  FAIL  ") == std::string::npos ? 0 : 1;
}

int drive(int argc, char** argv) {
    HostFacts facts = make_facts(argv[1]);
    std::string action = argv[2];
    Values values;
    int at = 3;
    for (; at < argc && std::strcmp(argv[at], "--") != 0; ++at) {
        std::string word = argv[at];
        values[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
    }
    Plan plan = make_plan(values, facts);
    for (++at; at < argc; ++at) {
        plan.argv.emplace_back(argv[at]);
    }
    if (action == "probes" || action == "judge") {
        return without_a_tool(action, plan.vm.profile.value);
    }
    if (action == "pull") {
        return pull_image(plan.vm.image, facts);
    }
    if (action == "selftest") {
        VmPolicy policy;
        policy.image = plan.vm.image;
        facts.vm.host_addresses = {"192.168.64.1", "93.184.216.35"};
        policy.allow_hosts.push_back({"public.test", {}});
        return selftest_container({VmProfile::Web, VmProfile::Files}, policy, facts);
    }
    Outcome outcome = run_container(plan, facts, RunOptions{});
    if (!outcome.error.message.empty()) {
        say(outcome.error);
    }
    finish(outcome);
}

}  // namespace
}  // namespace sbx

int main(int argc, char** argv) {
    return argc < 3 ? 2 : sbx::drive(argc, argv);
}
