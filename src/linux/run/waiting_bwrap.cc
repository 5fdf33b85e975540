#include "linux/run/waiting_bwrap.h"

#include <fcntl.h>
#include <linux/keyctl.h>
#include <sched.h>
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
#include <cstdio>
#include <cstring>
#include <string_view>

#include "embedded/inner_program.h"
#include "util/text.h"

namespace sbx {
namespace {

constexpr unsigned kMemfdExec = 0x10;       // MFD_EXEC, Linux 6.3
constexpr unsigned kCloseRangeCloexec = 4;  // CLOSE_RANGE_CLOEXEC, Linux 5.11
constexpr int kStderr = 2;
// A usual run generates no more files than this; one that does starts its bwrap later.
constexpr int kSpareData = 4;

Error failure(const char* what) { return Error{"io", std::string(what) + ": " + std::strerror(errno), ""}; }

Result<Fd> empty_memory(const char* name, unsigned flags = 0) {
    Fd fd(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | flags));
    if (!fd.valid() && errno == EINVAL && flags != 0) {
        fd.reset(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
    }
    if (!fd.valid()) {
        return failure("memfd_create");
    }
    return fd;
}

/// Nobody can change the bytes any more.
Result<void> fill(const Fd& memory, std::string_view bytes) {
    SBX_CHECK(write_all(memory.get(), bytes));
    if (lseek(memory.get(), 0, SEEK_SET) != 0 ||
        fcntl(memory.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0) {
        return failure("memfd");
    }
    return {};
}

struct Placement {
    int from;
    int to;
};

struct Child {
    const char* program;
    char* const* argv;
    std::vector<Placement> placements;
    const std::vector<int>& keep;
    int null;
    int errors;
    cap_t capabilities;
};

/// What fails here is found where bwrap's own messages are.
[[noreturn]] void become_bwrap(const Child& child) {
    char* const no_environment[] = {nullptr};
    auto give_up = [&child] {
        dprintf(child.errors, "%s: %s\n", child.program, std::strerror(errno));
        _exit(125);
    };
    uint64_t all = ~uint64_t{0};
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, nullptr, sizeof all);
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &action, nullptr);  // ignored, bwrap would wait for ever (bubblewrap#705)
    // Keys of the caller's session stay out of reach. The filter refuses all key calls anyway, so a
    // kernel without keys or with a full quota loses nothing.
    syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr);
    // An ordinary user with capabilities (ambient ones of a desktop or a CI runner) is refused by bwrap:
    // "Unexpected capabilities but not setuid" (bubblewrap#380). sbx needs none of them either.
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    if (cap_set_proc(child.capabilities) != 0) {
        give_up();
    }
    syscall(SYS_close_range, 3U, ~0U, kCloseRangeCloexec);
    for (const Placement& placement : child.placements) {
        if (dup2(placement.from, placement.to) < 0) {
            give_up();
        }
    }
    for (int fd : child.keep) {
        fcntl(fd, F_SETFD, 0);
    }
    // bwrap's monitor keeps its 0 to 2 open until the end; with the caller's pipes there, a reader
    // would not see their end when the command closes them.
    if (dup2(child.null, 0) < 0 || dup2(child.null, 1) < 0 || dup2(child.errors, kStderr) < 0) {
        give_up();
    }
    execve(child.program, child.argv, no_environment);
    give_up();
    _exit(125);
}

/// Inheritable ones are cleared before bwrap; an ordinary user keeps none at all.
cap_t capabilities_for_bwrap() {
    cap_t current = cap_get_proc();
    bool done = current != nullptr && cap_clear_flag(current, CAP_INHERITABLE) == 0 &&
                (geteuid() == 0 || cap_clear(current) == 0);
    if (!done && current != nullptr) {
        cap_free(current);
        current = nullptr;
    }
    return current;
}

}  // namespace

Result<std::unique_ptr<WaitingBwrap>> WaitingBwrap::start(const BwrapNeeds& needs) {
    std::unique_ptr<WaitingBwrap> waiting(new WaitingBwrap);
    waiting->needs_ = needs;
    const LaunchDescriptors& fds = needs.descriptors;
    std::vector<Placement> placements;
    std::vector<Fd> owned;
    auto place = [&](Fd fd, int to) {
        placements.push_back({fd.get(), to});
        owned.push_back(std::move(fd));
    };
    for (int i = 0; i < 3; ++i) {
        if (fds.stdio[i] >= 0) {
            placements.push_back({i, fds.stdio[i]});
        }
    }
    int options[2];
    if (pipe2(options, O_CLOEXEC) != 0) {
        return failure("pipe");
    }
    place(Fd(options[0]), fds.arguments);
    waiting->options_.reset(options[1]);
    SBX_ASSIGN(Fd program, empty_memory("sbx-inner", kMemfdExec));
    placements.push_back({program.get(), fds.inner_program});
    SBX_ASSIGN(waiting->block_, empty_memory("sbx-block"));
    placements.push_back({waiting->block_.get(), fds.inner_block});
    for (int number : needs.data) {
        SBX_ASSIGN(Fd data, empty_memory("sbx-data"));
        placements.push_back({data.get(), number});
        waiting->data_.emplace_back(number, std::move(data));
    }
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        return failure("socketpair");
    }
    waiting->socket_.reset(pair[0]);
    place(Fd(pair[1]), fds.socket);
    // Before the other end can send anything: a message that was sent earlier carries no process id.
    int on = 1;
    if (setsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0) {
        return failure("setsockopt");
    }
    waiting->errors_.reset(memfd_create("sbx-errors", MFD_CLOEXEC));
    Fd null(open("/dev/null", O_RDWR | O_CLOEXEC));
    if (!waiting->errors_.valid() || !null.valid()) {
        return failure("/dev/null");
    }
    // A source must not stand where another one is to be placed: move every one above all targets.
    int top = 0;
    for (const Placement& placement : placements) {
        top = std::max(top, placement.to);
    }
    for (int fd : needs.keep) {
        top = std::max(top, fd);
    }
    Fd moved_null;
    Fd moved_errors;
    auto clear_of_targets = [&](int fd, Fd& moved) {
        if (fd <= top) {
            moved.reset(fcntl(fd, F_DUPFD_CLOEXEC, top + 1));
            return moved.get();
        }
        return fd;
    };
    for (Placement& placement : placements) {
        if (placement.from > 2) {
            Fd moved;
            placement.from = clear_of_targets(placement.from, moved);
            owned.push_back(std::move(moved));
        }
    }
    std::vector<std::string> words = {needs.program, "--args", std::to_string(fds.arguments), "--"};
    words.insert(words.end(), needs.command.begin(), needs.command.end());
    std::vector<char*> argv;
    for (auto& word : words) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    Child child{needs.program.c_str(),
                argv.data(),
                placements,
                needs.keep,
                clear_of_targets(null.get(), moved_null),
                clear_of_targets(waiting->errors_.get(), moved_errors),
                capabilities_for_bwrap()};
    bool placed = std::all_of(placements.begin(), placements.end(), [](const Placement& p) { return p.from >= 0; });
    if (!placed || child.null < 0 || child.errors < 0) {
        return failure("descriptors");
    }
    if (child.capabilities == nullptr) {
        return failure("dropping capabilities");
    }
    // Not vfork: its parent sleeps until execve, and is then woken behind bwrap on bwrap's own processor.
    waiting->pid_ = fork();
    if (waiting->pid_ == 0) {
        become_bwrap(child);
    }
    cap_free(child.capabilities);
    if (waiting->pid_ < 0) {
        return failure("fork");
    }
    waiting->keep_processor();
    SBX_CHECK(fill(program, embedded::inner_program()));
    return waiting;
}

void WaitingBwrap::keep_processor() {
    int here = sched_getcpu();
    if (here < 0 || sched_getaffinity(0, sizeof allowed_, &allowed_) != 0 || CPU_COUNT(&allowed_) < 2) {
        return;
    }
    cpu_set_t others = allowed_;
    CPU_CLR(static_cast<size_t>(here), &others);
    elsewhere_ = sched_setaffinity(pid_, sizeof others, &others) == 0;
}

Result<void> WaitingBwrap::free_processors() {
    if (elsewhere_ && sched_setaffinity(pid_, sizeof allowed_, &allowed_) != 0) {
        return failure("sched_setaffinity");
    }
    return {};
}

bool WaitingBwrap::fits(const BwrapNeeds& needs) const {
    BwrapNeeds same = needs;
    same.data = needs_.data;
    return pid_ > 0 && same == needs_ &&
           std::includes(needs_.data.begin(), needs_.data.end(), needs.data.begin(), needs.data.end());
}

Result<WaitingBwrap::Ends> WaitingBwrap::go(const std::vector<std::string>& options, const std::string& block,
                                            const std::vector<LinuxLaunch::Data>& data) {
    SBX_CHECK(fill(block_, block));
    for (const auto& entry : data) {
        auto place =
            std::find_if(data_.begin(), data_.end(), [&](const auto& known) { return known.first == entry.fd; });
        SBX_CHECK(fill(place->second, entry.content));
    }
    std::string text;
    for (const auto& option : options) {
        text += option;
        text += '\0';
    }
    // The supervisor finds out, and says why, when bwrap is gone already. Half a text, because sbx was killed, would
    // make a weaker sandbox; nothing starts in it, for the inner stage waits for sbx's word.
    (void)write_all(options_.get(), text);
    Ends ends{std::exchange(pid_, -1), std::move(socket_), std::move(errors_)};
    options_.reset();
    block_.reset();
    data_.clear();
    return ends;
}

void WaitingBwrap::cancel() {
    if (pid_ > 0) {
        kill(pid_, SIGKILL);
        while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
        }
        pid_ = -1;
    }
}

std::shared_ptr<EarlyStart> start_early(const HostFacts& facts, const std::vector<int>& kept) {
    auto open = [](int fd) { return fcntl(fd, F_GETFD) >= 0; };
    // What the caller has closed would be taken for open once a descriptor of sbx's own stands there.
    if (facts.linux_.bwrap.empty() || !open(0) || !open(1) || !open(2) ||
        !std::all_of(kept.begin(), kept.end(), open)) {
        return nullptr;
    }
    DescriptorNumbers numbers(kept);
    BwrapNeeds needs;
    needs.program = facts.linux_.bwrap;
    needs.keep = kept;
    needs.descriptors = numbers.for_launch();
    needs.command = inner_command(needs.descriptors, facts.linux_);
    for (int i = 0; i < kSpareData; ++i) {
        needs.data.push_back(numbers.next());
    }
    auto started = WaitingBwrap::start(needs);
    return started.ok() ? std::shared_ptr<EarlyStart>(std::move(*started)) : nullptr;
}

}  // namespace sbx
