#include "linux/run/spawn.h"

#include <fcntl.h>
#include <sched.h>
#include <linux/keyctl.h>
#include <sys/capability.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <vector>

#include "embedded/inner_program.h"
#include "util/text.h"

namespace sbx {
namespace {

constexpr unsigned kMemfdExec = 0x10;          // MFD_EXEC, Linux 6.3
constexpr unsigned kCloseRangeCloexec = 4;     // CLOSE_RANGE_CLOEXEC, Linux 5.11
constexpr int kStderr = 2;

Error failure(const char* what) {
    return Error{"io", std::string(what) + ": " + std::strerror(errno), ""};
}

/// A memfd whose bytes nobody can change any more, or, with `writable`, one that only the inner stage maps.
Result<Fd> sealed(const char* name, std::string_view bytes, unsigned flags = 0) {
    Fd fd(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | flags));
    if (!fd.valid() && errno == EINVAL && flags != 0) {
        fd.reset(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
    }
    if (!fd.valid()) {
        return failure("memfd_create");
    }
    SBX_CHECK(write_all(fd.get(), bytes));
    if (lseek(fd.get(), 0, SEEK_SET) != 0 ||
        fcntl(fd.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0) {
        return failure("memfd");
    }
    return fd;
}

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

struct Placement {
    int from;
    int to;
};

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

/// In the vfork child: only system calls, no memory that the parent would miss.
[[noreturn]] void become_bwrap(const char* program, char* const* argv, const std::vector<Placement>& placements,
                               const std::vector<int>& keep, int null, int errors,
                               const std::vector<int>& cgroups, const cpu_set_t* cpus, int* error) {
    char* const no_environment[] = {nullptr};
    for (int fd : cgroups) {
        if (write(fd, "0", 1) != 1) {
            *error = errno;
            _exit(125);
        }
    }
    if (cpus != nullptr && sched_setaffinity(0, sizeof *cpus, cpus) != 0) {
        *error = errno;
        _exit(125);
    }
    syscall(SYS_close_range, 3U, ~0U, kCloseRangeCloexec);
    for (const Placement& placement : placements) {
        if (dup2(placement.from, placement.to) < 0) {
            *error = errno;
            _exit(125);
        }
    }
    for (int fd : keep) {
        fcntl(fd, F_SETFD, 0);
    }
    // bwrap's monitor keeps its 0 to 2 open until the end; with the caller's pipes there, a reader
    // would not see their end when the command closes them.
    if (dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(errors, kStderr) < 0) {
        *error = errno;
        _exit(125);
    }
    execve(program, argv, no_environment);
    *error = errno;
    _exit(125);
}

}  // namespace

Result<Spawned> spawn_bwrap(LinuxLaunch& launch, const CallerState& caller, const Confinement& confinement) {
    SBX_CHECK(drop_own_capabilities());
    // Keys of the caller's session stay out of reach. The filter refuses all key calls anyway, so a
    // kernel without keys or with a full quota loses nothing.
    syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr);

    LaunchDescriptors& fds = launch.descriptors;
    wire::BlockHeader& header = launch.inner.header;
    header.signal_mask = caller.signal_mask;
    header.ignored_signals = caller.ignored_signals;
    header.umask = caller.umask;
    std::vector<Placement> placements;
    std::vector<Fd> owned;
    auto place = [&](Fd fd, int to) {
        placements.push_back({fd.get(), to});
        owned.push_back(std::move(fd));
    };
    for (int i = 0; i < 3; ++i) {
        if (!caller.stdio_open[i]) {
            header.stdio[i] = -1;
            continue;
        }
        placements.push_back({i, fds.stdio[i]});
    }
    std::string arguments;
    for (const auto& option : launch.options) {
        arguments += option;
        arguments += '\0';
    }
    SBX_ASSIGN(Fd arguments_fd, sealed("sbx-arguments", arguments));
    SBX_ASSIGN(Fd program_fd, sealed("sbx-inner", embedded::inner_program(), kMemfdExec));
    SBX_ASSIGN(Fd block_fd, sealed("sbx-block", encode_block(launch.inner)));
    place(std::move(arguments_fd), fds.arguments);
    place(std::move(program_fd), fds.inner_program);
    place(std::move(block_fd), fds.inner_block);
    for (const auto& data : launch.data) {
        SBX_ASSIGN(Fd data_fd, sealed("sbx-data", data.content));
        place(std::move(data_fd), data.fd);
    }
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        return failure("socketpair");
    }
    // Before the other end can send anything: a message that was sent earlier carries no process id.
    int on = 1;
    if (setsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0) {
        close(pair[0]);
        close(pair[1]);
        return failure("setsockopt");
    }
    Spawned spawned;
    spawned.socket.reset(pair[0]);
    place(Fd(pair[1]), fds.socket);
    spawned.errors.reset(memfd_create("sbx-errors", MFD_CLOEXEC));
    Fd null(open("/dev/null", O_RDWR | O_CLOEXEC));
    if (!spawned.errors.valid() || !null.valid()) {
        return failure("/dev/null");
    }
    // A source must not stand where another one is to be placed: move every one above all targets.
    int top = 0;
    for (const Placement& placement : placements) {
        top = std::max(top, placement.to);
    }
    for (int fd : launch.inner.keep) {
        top = std::max(top, fd);
    }
    for (Placement& placement : placements) {
        if (placement.from > 2 && placement.from <= top) {
            Fd moved(fcntl(placement.from, F_DUPFD_CLOEXEC, top + 1));
            if (!moved.valid()) {
                return failure("descriptors");
            }
            placement.from = moved.get();
            owned.push_back(std::move(moved));
        }
    }
    auto clear_of_targets = [&](Fd& fd) {
        if (fd.get() <= top) {
            fd.reset(fcntl(fd.get(), F_DUPFD_CLOEXEC, top + 1));
        }
        return fd.valid();
    };
    if (!clear_of_targets(null) || !clear_of_targets(spawned.errors)) {
        return failure("descriptors");
    }

    std::vector<std::string> words = {launch.program, "--args", std::to_string(fds.arguments), "--"};
    words.insert(words.end(), launch.command.begin(), launch.command.end());
    std::vector<char*> argv;
    for (auto& word : words) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    std::optional<cpu_set_t> cpus = choose_cpus(launch.bound_cpus);
    int error = 0;
    spawned.pid = vfork();
    if (spawned.pid == 0) {
        become_bwrap(launch.program.c_str(), argv.data(), placements, launch.inner.keep, null.get(),
                     spawned.errors.get(), confinement.cgroups, cpus ? &*cpus : nullptr, &error);
    }
    if (spawned.pid < 0) {
        return failure("vfork");
    }
    if (error != 0) {
        errno = error;
        return failure(launch.program.c_str());
    }
    return spawned;
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
    std::string number = std::to_string(bwrap);
    Fd list(open(("/proc/" + number + "/task/" + number + "/children").c_str(), O_RDONLY | O_CLOEXEC));
    auto text = list.valid() ? read_all(list.get(), 1 << 12) : Result<std::string>(std::string());
    if (text.ok()) {
        for (const auto& child : split(*text, ' ')) {
            if (pid_t pid = std::atoi(child.c_str()); pid > 0) {
                kill(pid, SIGKILL);
            }
        }
    }
    kill(bwrap, SIGKILL);
}

}  // namespace sbx
