#include "linux/render/bwrap.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "linux/render/limits.h"
#include "linux/render/seccomp.h"
#include "util/text.h"

namespace sbx {
namespace {

// bwrap refuses more than 9,000 arguments, those from --args included (bubblewrap#703).
constexpr size_t kMaxArguments = 9000;
constexpr uint32_t kGroupWindowMs = 10;

constexpr uint64_t kExecute = 1 << 0;
constexpr uint64_t kWriteFile = 1 << 1;
constexpr uint64_t kReadFile = 1 << 2;
constexpr uint64_t kReadDirectory = 1 << 3;
constexpr uint64_t kReadRights = kExecute | kReadFile | kReadDirectory;
constexpr int kLandlockFilesAbi = 3;   // truncate and refer are known from here on
constexpr int kLandlockIoctlAbi = 5;
constexpr int kLandlockScopeAbi = 6;

uint64_t landlock_rights(int abi) { return (1ULL << (abi >= kLandlockIoctlAbi ? 16 : 15)) - 1; }

std::string octal(unsigned mode) {
    char text[8];
    std::snprintf(text, sizeof text, "%04o", mode);
    return text;
}

class Renderer {
  public:
    Renderer(const Plan& plan, const HostFacts& facts) : plan_(plan), facts_(facts), numbers_(plan.keep_fds) {}

    Result<LinuxLaunch> render() {
        const LinuxFacts& host = facts_.linux_;
        if (host.bwrap.empty()) {
            return Error{"backend_unavailable",
                         "bubblewrap backend unavailable (" +
                             (host.bwrap_problem.empty() ? "not-installed" : host.bwrap_problem) + ").",
                         remedy_for_bwrap(host)};
        }
        launch_.program = host.bwrap;
        launch_.descriptors = numbers_.for_launch();
        namespaces();
        MountSplit split = split_mounts(plan_);
        for (const Mount* mount : split.by_bwrap) {
            make_parents(mount->destination);
            add_mount(*mount);
        }
        launch_.protective = std::move(split.afterwards);
        // The root is bwrap's own tmpfs; nothing is to be left on it, and /dev stays as it was made.
        option({"--remount-ro", "/"});
        start_command();
        SBX_CHECK(inner());
        if (launch_.options.size() + launch_.command.size() + 1 > kMaxArguments) {
            return Error{"too_many_arguments",
                         "the sandbox needs " + std::to_string(launch_.options.size()) +
                             " bwrap arguments; bwrap takes " + std::to_string(kMaxArguments),
                         "name fewer paths, or a directory that holds them"};
        }
        return std::move(launch_);
    }

  private:
    void option(std::initializer_list<std::string> words) {
        launch_.options.insert(launch_.options.end(), words);
    }

    void namespaces() {
        option({"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"});
        if (plan_.network.mode == NetworkMode::Off) {
            option({"--unshare-net"});
        }
        if (plan_.nested == Nested::Off) {
            option({"--disable-userns"});
        }
        // Without --cap-drop a command started by root can remount what is read-only (bubblewrap#287).
        option({"--cap-drop", "ALL", "--die-with-parent", "--as-pid-1"});
        if (plan_.new_session) {
            option({"--new-session"});
        }
    }

    /// bwrap makes the directories above a mount with the mount's own mode: a private home would close
    /// /home as well.
    void make_parents(const std::string& destination) {
        made_.insert(destination);
        for (size_t slash = destination.find('/', 1); slash != std::string::npos;
             slash = destination.find('/', slash + 1)) {
            std::string parent = destination.substr(0, slash);
            if (!made_.insert(parent).second) {
                continue;
            }
            bool there = std::any_of(plan_.mounts.begin(), plan_.mounts.end(), [&](const Mount& mount) {
                bool holds = mount.kind == Mount::Kind::Bind || mount.kind == Mount::Kind::Devices ||
                             mount.kind == Mount::Kind::Processes;
                return holds ? path_within(parent, mount.destination) : parent == mount.destination;
            });
            if (!there) {
                option({"--perms", "0755", "--dir", parent});
            }
        }
    }

    void add_data(const std::string& verb, const Mount& mount) {
        int fd = numbers_.next();
        launch_.data.push_back({fd, mount.data});
        option({"--perms", octal(mount.mode), verb, std::to_string(fd), mount.destination});
    }

    void add_mount(const Mount& mount) {
        switch (mount.kind) {
            case Mount::Kind::Bind:
                option({mount.access == Access::Write ? "--bind" : "--ro-bind", mount.source, mount.destination});
                break;
            case Mount::Kind::Tmpfs:
                option({"--perms", octal(mount.mode)});
                if (mount.size > 0) {
                    option({"--size", std::to_string(mount.size)});
                }
                option({"--tmpfs", mount.destination});
                break;
            case Mount::Kind::Kept:
                option({"--perms", octal(mount.mode), "--tmpfs", mount.destination});
                option({"--bind", mount.source, kStagedHome});
                break;
            case Mount::Kind::Directory:
                option({"--perms", octal(mount.mode), "--dir", mount.destination});
                break;
            case Mount::Kind::Symlink: option({"--symlink", mount.source, mount.destination}); break;
            case Mount::Kind::File: add_data("--file", mount); break;
            case Mount::Kind::Devices:
                // bwrap makes /dev/shm 0755; sharing memory between users of one sandbox needs 1777.
                option({"--dev", mount.destination, "--chmod", "1777", path_join(mount.destination, "shm")});
                break;
            case Mount::Kind::Terminal: option({"--dev-bind", mount.source, mount.destination}); break;
            case Mount::Kind::Processes:
                if (plan_.nested == Nested::Weaker) {
                    option({"--ro-bind", "/proc", mount.destination});
                } else {
                    option({"--proc", mount.destination});
                }
                break;
            case Mount::Kind::Mask: mask(mount); break;
            case Mount::Kind::Pinned: break;  // only ever inside a host directory: see protective.h
        }
    }

    /// A bind of /dev/null is a device on a nodev mount: opening it fails, for root too. A directory
    /// becomes an empty one that nobody may enter.
    void mask(const Mount& mount) {
        if (mount.is_directory) {
            option({"--perms", "0000", "--tmpfs", mount.destination, "--remount-ro", mount.destination});
        } else {
            option({"--ro-bind", "/dev/null", mount.destination});
        }
    }

    void start_command() {
        launch_.command = inner_command(launch_.descriptors, facts_.linux_);
        if (facts_.linux_.memfd_exec_forbidden) {
            option({"--perms", "0555", "--ro-bind-data", std::to_string(launch_.descriptors.inner_program),
                    launch_.command.front()});
        }
    }

    void landlock() {
        InnerSettings& inner = launch_.inner;
        int abi = facts_.linux_.landlock_abi;
        if (abi < kLandlockFilesAbi || plan_.nested != Nested::Off) {
            return;  // a Landlock domain forbids the mounts that a nested sandbox makes
        }
        inner.header.flags |= wire::kLandlock;
        inner.header.landlock_handled = landlock_rights(abi);
        if (abi >= kLandlockScopeAbi) {
            inner.header.flags |= wire::kScopeSignals;
        }
        inner.rules.push_back({"/", kReadRights, false});
        inner.rules.push_back({"/proc", kReadRights | kWriteFile, false});
        for (const Mount& mount : plan_.mounts) {
            bool writable = mount.kind == Mount::Kind::Tmpfs || mount.kind == Mount::Kind::Kept ||
                            mount.kind == Mount::Kind::Devices ||
                            (mount.kind == Mount::Kind::Bind && mount.access == Access::Write &&
                             mount.purpose != Purpose::Pin);
            if (writable) {
                inner.rules.push_back({mount.destination, inner.header.landlock_handled, false});
            }
        }
    }

    Result<void> inner() {
        InnerSettings& inner = launch_.inner;
        inner.argv = plan_.argv;
        inner.cwd = plan_.cwd;
        inner.keep = plan_.keep_fds;
        inner.header.group_window_ms = kGroupWindowMs;
        std::copy(std::begin(launch_.descriptors.stdio), std::end(launch_.descriptors.stdio),
                  std::begin(inner.header.stdio));
        for (const auto& entry : plan_.environment) {
            inner.environment.push_back(entry.name + "=" + entry.value);
        }
        SBX_CHECK(add_resource_limits(plan_, facts_, inner));
        launch_.bound_cpus = bound_cpus(plan_, facts_);
        landlock();
        inner.filters[0] = render_seccomp(plan_.nested);
        inner.filters[1] = render_ownership_filter(facts_.uid, facts_.gid);
        return {};
    }

    const Plan& plan_;
    const HostFacts& facts_;
    DescriptorNumbers numbers_;
    LinuxLaunch launch_;
    std::set<std::string> made_;   ///< destinations, and directories above them
};

}  // namespace

int DescriptorNumbers::next() {
    while (std::find(kept_.begin(), kept_.end(), number_) != kept_.end()) {
        ++number_;
    }
    return number_++;
}

LaunchDescriptors DescriptorNumbers::for_launch() {
    LaunchDescriptors fds;
    for (int* fd : {&fds.arguments, &fds.inner_program, &fds.inner_block, &fds.socket, &fds.stdio[0], &fds.stdio[1],
                    &fds.stdio[2]}) {
        *fd = next();
    }
    return fds;
}

std::vector<std::string> inner_command(const LaunchDescriptors& descriptors, const LinuxFacts& facts) {
    // vm.memfd_noexec = 2: bwrap puts the program into a file of its own instead.
    std::string program = facts.memfd_exec_forbidden ? "/run/sbx-inner"
                                                     : "/proc/self/fd/" + std::to_string(descriptors.inner_program);
    return {program, std::to_string(descriptors.inner_block), std::to_string(descriptors.socket)};
}

std::string remedy_for_bwrap(const LinuxFacts& facts) {
    std::string file = shell_quote(facts.bwrap_refused);
    if (facts.bwrap_problem.rfind("not-trusted", 0) == 0) {
        return "the file and its folder must belong to root and be writable for nobody else:\n"
               "    sudo chown root:root " + file + " && sudo chmod 755 " + file + "\n"
               "Inside another sandbox the user nobody cannot tell who owns it: be another user there";
    }
    if (facts.bwrap_problem.rfind("setuid", 0) == 0) {
        return "take the bit away; user namespaces make it needless, and it is a risk:\n    sudo chmod u-s " + file;
    }
    return "Install bubblewrap and retry: sudo apt install bubblewrap (Debian, Ubuntu), sudo dnf install bubblewrap "
           "(Fedora)";
}

Result<LinuxLaunch> render_bwrap(const Plan& plan, const HostFacts& facts) { return Renderer(plan, facts).render(); }

std::string describe(const LinuxLaunch& launch) {
    std::vector<std::string> words = {launch.program};
    words.insert(words.end(), launch.options.begin(), launch.options.end());
    words.emplace_back("--");
    words.insert(words.end(), launch.command.begin(), launch.command.end());
    std::string text = shell_join(words);
    for (const ProtectiveMount& mount : launch.protective) {
        text += "\n" + describe(mount);
    }
    return text;
}

}  // namespace sbx
