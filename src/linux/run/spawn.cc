#include "linux/run/spawn.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "host/resolve.h"
#include "util/text.h"

namespace sbx {
namespace {

Error failure(const char* what) { return Error{"io", std::string(what) + ": " + std::strerror(errno), ""}; }

/// An ordinary user with capabilities (ambient ones of a desktop or a CI runner) is refused by bwrap:
/// "Unexpected capabilities but not setuid" (bubblewrap#380). sbx needs none of them either.
Result<void> drop_own_capabilities() {
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    cap_t current = cap_get_proc();
    if (current == nullptr) {
        return failure("cap_get_proc");
    }
    int cleared = cap_clear_flag(current, CAP_INHERITABLE);
    if (geteuid() != 0) {
        cleared |= cap_clear(current);
    }
    bool done = cleared == 0 && cap_set_proc(current) == 0;
    cap_free(current);
    if (!done) {
        return failure("dropping capabilities");
    }
    return {};
}

/// `count` of the CPUs that the caller may use; nullopt when that are no more anyway.
std::optional<cpu_set_t> choose_cpus(size_t count) {
    cpu_set_t allowed;
    if (count == 0 || sched_getaffinity(0, sizeof allowed, &allowed) != 0 ||
        static_cast<size_t>(CPU_COUNT(&allowed)) <= count) {
        return std::nullopt;
    }
    // Not always the first ones: parallel runs would share them while others idle.
    cpu_set_t chosen;
    CPU_ZERO(&chosen);
    size_t start = static_cast<size_t>(getpid()) % CPU_SETSIZE;
    for (size_t i = 0; i < CPU_SETSIZE && static_cast<size_t>(CPU_COUNT(&chosen)) < count; ++i) {
        size_t cpu = (start + i) % CPU_SETSIZE;
        if (CPU_ISSET(cpu, &allowed)) {
            CPU_SET(cpu, &chosen);
        }
    }
    return chosen;
}

std::vector<pid_t> children_of(pid_t parent) {
    std::string number = std::to_string(parent);
    Fd list(open(("/proc/" + number + "/task/" + number + "/children").c_str(), O_RDONLY | O_CLOEXEC));
    auto text = list.valid() ? read_all(list.get(), 1 << 12) : Result<std::string>(std::string());
    std::vector<pid_t> children;
    for (const auto& child : split(text.ok() ? *text : "", ' ')) {
        if (pid_t pid = std::atoi(child.c_str()); pid > 0) {
            children.push_back(pid);
        }
    }
    return children;
}

std::string pid_namespace(pid_t pid) { return link_text("/proc/" + std::to_string(pid) + "/ns/pid"); }

/// What bwrap must find when it starts.
BwrapNeeds needs_of(const LinuxLaunch& launch, const CallerState& caller) {
    BwrapNeeds needs{launch.program, launch.command, launch.descriptors, {}, launch.inner.keep};
    for (int i = 0; i < 3; ++i) {
        needs.descriptors.stdio[i] = caller.stdio_open[i] ? launch.descriptors.stdio[i] : -1;
    }
    for (const auto& data : launch.data) {
        needs.data.push_back(data.fd);
    }
    return needs;
}

/// It has read nothing yet, so everything that it will start is confined as well.
Result<void> confine(WaitingBwrap& bwrap, const std::vector<int>& cgroups, size_t cpus) {
    SBX_CHECK(bwrap.free_processors());
    std::string number = std::to_string(bwrap.pid());
    for (int fd : cgroups) {
        if (write(fd, number.data(), number.size()) != static_cast<ssize_t>(number.size())) {
            return failure("control group");
        }
    }
    auto chosen = choose_cpus(cpus);
    if (chosen && sched_setaffinity(bwrap.pid(), sizeof *chosen, &*chosen) != 0) {
        return failure("limits.cpus");
    }
    return {};
}

}  // namespace

Result<Spawned> spawn_bwrap(LinuxLaunch& launch, const CallerState& caller, const std::vector<int>& cgroups,
                            EarlyStart* early) {
    SBX_CHECK(drop_own_capabilities());
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);  // for end_orphans()
    wire::BlockHeader& header = launch.inner.header;
    header.signal_mask = caller.signal_mask;
    header.ignored_signals = caller.ignored_signals;
    header.umask = caller.umask;
    for (int i = 0; i < 3; ++i) {
        if (!caller.stdio_open[i]) {
            header.stdio[i] = -1;
        }
    }
    BwrapNeeds needs = needs_of(launch, caller);
    auto* waiting = static_cast<WaitingBwrap*>(early);
    std::unique_ptr<WaitingBwrap> late;
    if (waiting == nullptr || !waiting->fits(needs)) {
        if (waiting != nullptr) {
            waiting->cancel();
        }
        SBX_ASSIGN(late, WaitingBwrap::start(needs));
        waiting = late.get();
    }
    if (auto confined = confine(*waiting, cgroups, launch.bound_cpus); !confined.ok()) {
        waiting->cancel();
        return confined.error();
    }
    return waiting->go(launch.options, encode_block(launch.inner), launch.data);
}

void end_sandbox(Spawned& spawned) {
    spawned.socket.reset();  // the inner stage ends when sbx is gone
    wait_for_bwrap(spawned);
}

void wait_for_bwrap(const Spawned& spawned) {
    while (waitpid(spawned.pid, nullptr, 0) < 0 && errno == EINTR) {
    }
}

void kill_starting_bwrap(pid_t bwrap) {
    // Stopped, it makes no child behind our back.
    kill(bwrap, SIGSTOP);
    if (waitid(P_PID, static_cast<id_t>(bwrap), nullptr, WSTOPPED | WEXITED | WNOWAIT) != 0) {
        return;
    }
    for (pid_t child : children_of(bwrap)) {
        kill(child, SIGKILL);
    }
    kill(bwrap, SIGKILL);
}

void end_orphans() {
    std::string own = pid_namespace(getpid());
    for (pid_t child : children_of(getpid())) {
        if (std::string other = pid_namespace(child); !other.empty() && other != own) {
            kill(child, SIGKILL);
            waitpid(child, nullptr, 0);
        }
    }
}

}  // namespace sbx
