#include "vm/render/container.h"

#include <cmath>

#include "util/text.h"
#include "vm/render/environment.h"
#include "vm/render/guest.h"
#include "vm/render/mounts.h"
#include "vm/render/settings.h"

namespace sbx {
namespace {

constexpr const char* kGuestTemp = "/tmp";
constexpr int64_t kMebibyte = int64_t{1} << 20;
// The guest's init reads this many blocked addresses.
constexpr size_t kMaxBlocked = 256;

void add(ContainerLaunch& launch, std::vector<std::string> words) {
    launch.options.insert(launch.options.end(), words.begin(), words.end());
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const auto& word : words) {
        text += (text.empty() ? "" : ",") + word;
    }
    return text;
}

Error bad_limit(const std::string& key, const std::string& reason) {
    return Error{"vm_limit", key + ": " + reason, ""};
}

/// The smaller of the two when both are given: each is a promise.
template <typename T>
std::optional<T> smaller(std::optional<T> a, std::optional<T> b) {
    return a && b ? std::min(*a, *b) : a ? a : b;
}

Result<void> add_limits(const Plan& plan, ContainerLaunch& launch) {
    if (auto cpus = smaller(*plan.vm.cpus, plan.limits.cpus)) {
        if (*cpus < 1 || *cpus != std::floor(*cpus)) {
            return bad_limit("vm.cpus", "a VM has whole processors");
        }
        add(launch, {"--cpus", std::to_string(static_cast<long>(*cpus))});
    }
    if (auto memory = smaller(*plan.vm.memory, plan.limits.memory)) {
        if (*memory < kMebibyte) {
            return bad_limit("vm.memory", "a VM needs at least one mebibyte");
        }
        add(launch, {"--memory", std::to_string(*memory / kMebibyte) + "M"});
    }
    const std::pair<const char*, std::optional<int64_t>> limits[] = {{"nproc", plan.limits.processes},
                                                                     {"nofile", plan.limits.open_files},
                                                                     {"fsize", plan.limits.file_size}};
    for (const auto& limit : limits) {
        if (limit.second) {
            add(launch, {"--ulimit", std::string(limit.first) + "=" + std::to_string(*limit.second)});
        }
    }
    launch.timeout_ms = plan.limits.timeout_ms;
    return {};
}

/// Root for the time in which init loads the firewall; exactly what that and giving it all up takes.
void add_guest_init(ContainerLaunch& launch, const char* profile) {
    add(launch, {"--user", "0:0"});
    for (const char* capability : {"NET_ADMIN", "SETUID", "SETGID", "SETPCAP"}) {
        add(launch, {"--cap-add", capability});
    }
    add(launch, {"--env", std::string(vm::kProfileVariable) + "=" + profile});
    launch.command.insert(launch.command.begin(), vm::kGuestInit);
}

Result<void> add_published_port(const Plan& plan, ContainerLaunch& launch, bool& published) {
    SBX_ASSIGN(auto publish, vm::parse_publish(plan.vm.publish));
    published = publish.has_value();
    if (published) {
        add(launch, {"--publish", publish->host + ":" + std::to_string(publish->host_port) + ":" +
                                      std::to_string(publish->guest_port)});
        add(launch, {"--env", std::string(vm::kInboundVariable) + "=" + std::to_string(publish->guest_port)});
    }
    return {};
}

Result<void> render_web(const Plan& plan, const HostFacts& facts, ContainerLaunch& launch) {
    add_guest_init(launch, "web");
    SBX_ASSIGN(auto dns, vm::plan_addresses(plan.vm.dns, "vm.dns"));
    for (const auto& server : dns) {
        add(launch, {"--dns", server});
    }
    SBX_ASSIGN(auto blocked, vm::plan_addresses(plan.vm.blocked_addresses, "vm.blockedAddresses"));
    blocked.insert(blocked.begin(), facts.vm.host_addresses.begin(), facts.vm.host_addresses.end());
    if (blocked.size() > kMaxBlocked) {
        return bad_limit("vm.blockedAddresses", "more than 256 addresses, those of this machine included");
    }
    if (!blocked.empty()) {
        add(launch, {"--env", std::string(vm::kBlockedVariable) + "=" + joined(blocked)});
    }
    SBX_ASSIGN(auto hosts, vm::plan_hosts(plan.vm.allow_hosts));
    if (!hosts.empty()) {
        add(launch, {"--env", std::string(vm::kHostsVariable) + "=" + joined(hosts)});
    }
    bool published = false;
    return add_published_port(plan, launch, published);
}

Result<void> render_files(const Plan& plan, const HostFacts& facts, ContainerLaunch& launch) {
    add_guest_init(launch, "files");
    bool published = false;
    SBX_CHECK(add_published_port(plan, launch, published));
    add(launch, {"--no-dns"});
    if (!published) {
        add(launch, {"--network", "none"});
    } else {
        launch.notes.push_back(
            "vm.publish gives the guest a network interface; the files firewall alone keeps it from "
            "reaching anything");
    }
    SBX_ASSIGN(auto folders, vm::plan_folders(plan.vm.folders, facts));
    for (const auto& folder : folders) {
        std::string destination = path_join(vm::kFilesRoot, folder.id);
        SBX_CHECK(vm::add_folder(folder.source, destination, Access::Read, launch));
        if (!folder.named) {
            launch.notes.push_back(printable_line(folder.source) + " is at " + destination);
        }
    }
    return {};
}

Result<void> render_worktree(const Plan& plan, const HostFacts& facts, ContainerLaunch& launch) {
    add(launch, {"--user", std::to_string(facts.uid) + ":" + std::to_string(facts.gid)});
    add(launch, {"--network", "none", "--no-dns"});
    return vm::add_plan_mounts(plan, launch);
}

bool shares_home(const Plan& plan) {
    for (const Mount& mount : plan.mounts) {
        bool shared = mount.kind == Mount::Kind::Bind || mount.kind == Mount::Kind::Kept;
        if (mount.purpose == Purpose::Home && shared) {
            return true;
        }
    }
    return false;
}

}  // namespace

Result<ContainerLaunch> render_container(const Plan& plan, const HostFacts& facts) {
    SBX_CHECK(vm::check_image(plan.vm.image));
    SBX_CHECK(vm::check_profile(plan));
    VmProfile profile = *plan.vm.profile;
    bool general = profile == VmProfile::None;
    ContainerLaunch launch;
    launch.program = facts.vm.container.empty() ? "container" : facts.vm.container;
    launch.image = *plan.vm.image;
    launch.command = plan.argv;
    // Capabilities that are added come back after all were dropped, whatever the order of the options.
    add(launch, {"--cap-drop", "ALL", "--read-only", "--tmpfs", kGuestTemp});
    switch (profile) {
        case VmProfile::None: SBX_CHECK(render_worktree(plan, facts, launch)); break;
        case VmProfile::Web: SBX_CHECK(render_web(plan, facts, launch)); break;
        case VmProfile::Files: SBX_CHECK(render_files(plan, facts, launch)); break;
    }
    std::string cwd = !general ? kGuestTemp : vm::is_shared(plan, plan.cwd) ? plan.cwd : plan.worktree;
    add(launch, {"--workdir", cwd});
    SBX_CHECK(vm::add_environment(plan, general && shares_home(plan) ? plan.home : kGuestTemp, launch));
    SBX_CHECK(add_limits(plan, launch));
    return launch;
}

std::string container_id_file(const ContainerLaunch& launch) {
    return path_join(launch.folder, "id");
}

std::vector<std::string> container_words(const ContainerLaunch& launch, const ContainerStdio& stdio) {
    std::vector<std::string> words = {
        launch.program, "run",  "--rm",   "--name",    launch.name,
        "--progress",   "none", "--init", "--cidfile", container_id_file(launch)};
    words.insert(words.end(), launch.options.begin(), launch.options.end());
    for (size_t i = 0; i < launch.files.size(); ++i) {
        words.push_back("--volume");
        words.push_back(path_join(launch.folder, std::to_string(i)) + ":" + launch.files[i].destination +
                        ":ro");
    }
    if (stdio.interactive) {
        words.push_back("--interactive");
    }
    if (stdio.terminal) {
        words.push_back("--tty");
    }
    // With "=", since the tool takes a separate word that starts with "-" for an option.
    if (!launch.command.empty()) {
        words.push_back("--entrypoint=" + launch.command.front());
    }
    words.push_back(launch.image);
    if (!launch.command.empty()) {
        words.insert(words.end(), launch.command.begin() + 1, launch.command.end());
    }
    return words;
}

std::string describe(const ContainerLaunch& launch) {
    return shell_join(container_words(launch, {}));
}

std::vector<std::string> container_caveats(const Plan& plan) {
    switch (*plan.vm.profile) {
        case VmProfile::None: return {};
        case VmProfile::Files:
            return {"a hard link in a shared folder cannot be told from the file it points to",
                    "a shared folder is readable as a whole, also what a listing would leave out"};
        case VmProfile::Web: break;
    }
    return {"name lookups go through this machine, which sees the names",
            "the addresses of this machine are refused one by one: those it gains after the start are not "
            "covered",
            "a machine in the local network with a global IPv6 address is reachable if the guest has IPv6"};
}

}  // namespace sbx
