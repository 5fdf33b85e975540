#include "linux/start/bwrap.h"

#include <asm/unistd.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <linux/memfd.h>
#include <linux/prctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "linux/start/kernel.h"

namespace sbx::start {
namespace {

constexpr long kMemfdExec = 0x10;       // MFD_EXEC, Linux 6.3
constexpr long kCloseRangeCloexec = 4;  // CLOSE_RANGE_CLOEXEC, Linux 5.11
constexpr long kSignalSetSize = 8;
constexpr int kFailed = 125;

class Starter {
  public:
    Starter(const Request& request, Started& started, int* data) : request_(request), started_(started), data_(data) {}

    void run() {
        if (make_descriptors() && read_capabilities()) {
            fork_bwrap();
        }
        for (int fd : {arguments_, child_socket_, null_}) {
            if (fd >= 0) {
                kernel(__NR_close, fd);
            }
        }
    }

  private:
    bool fail(const char* what, long result) {
        started_.what = what;
        started_.error = static_cast<int>(-result);
        return false;
    }

    /// A source must not stand where another one is to be placed.
    bool raise(const char* what, long fd, int& raised) {
        if (fd < 0) {
            return fail(what, fd);
        }
        if (fd >= request_.floor) {
            raised = static_cast<int>(fd);
            return true;
        }
        long moved = kernel(__NR_fcntl, fd, F_DUPFD_CLOEXEC, request_.floor);
        kernel(__NR_close, fd);
        raised = static_cast<int>(moved);
        return moved >= 0 || fail("descriptors", moved);
    }

    bool memory(const char* name, long flags, int& fd) {
        long made = kernel(__NR_memfd_create, address(name), flags | MFD_CLOEXEC);
        if (made == -EINVAL && (flags & kMemfdExec) != 0) {
            made = kernel(__NR_memfd_create, address(name), (flags & ~kMemfdExec) | MFD_CLOEXEC);
        }
        return raise("memfd_create", made, fd);
    }

    bool make_descriptors() {
        int pipe[2] = {-1, -1};
        if (long made = kernel(__NR_pipe2, address(pipe), O_CLOEXEC); made < 0) {
            return fail("pipe", made);
        }
        bool raised = raise("pipe", pipe[0], arguments_);
        raised = raise("pipe", pipe[1], started_.options) && raised;
        if (!raised || !memory("sbx-inner", MFD_ALLOW_SEALING | kMemfdExec, started_.program) ||
            !memory("sbx-block", MFD_ALLOW_SEALING, started_.block)) {
            return false;
        }
        for (int i = 0; i < request_.data_count; ++i) {
            if (!memory("sbx-data", MFD_ALLOW_SEALING, data_[i])) {
                return false;
            }
        }
        int pair[2] = {-1, -1};
        if (long made = kernel(__NR_socketpair, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, address(pair)); made < 0) {
            return fail("socketpair", made);
        }
        raised = raise("socketpair", pair[0], started_.socket);
        raised = raise("socketpair", pair[1], child_socket_) && raised;
        // Before the other end can send anything: a message that was sent earlier carries no process id.
        int on = 1;
        long set = kernel(__NR_setsockopt, started_.socket, SOL_SOCKET, SO_PASSCRED, address(&on), sizeof on);
        if (!raised || set < 0) {
            return raised && fail("setsockopt", set);
        }
        return memory("sbx-errors", 0, started_.errors) &&
               raise("/dev/null", kernel(__NR_openat, AT_FDCWD, address("/dev/null"), O_RDWR | O_CLOEXEC), null_);
    }

    /// Inheritable ones are cleared before bwrap; an ordinary user keeps none at all: with some (ambient ones of a
    /// desktop or a CI runner) bwrap refuses, "Unexpected capabilities but not setuid" (bubblewrap#380).
    bool read_capabilities() {
        header_.version = _LINUX_CAPABILITY_VERSION_3;
        header_.pid = 0;
        if (long read = kernel(__NR_capget, address(&header_), address(sets_)); read < 0) {
            return fail("dropping capabilities", read);
        }
        bool root = kernel(__NR_geteuid) == 0;
        for (auto& set : sets_) {
            set.inheritable = 0;
            set.permitted = root ? set.permitted : 0;
            set.effective = root ? set.effective : 0;
        }
        return true;
    }

    void fork_bwrap() {
        // Not vfork: its parent sleeps until execve, and is then woken behind bwrap on bwrap's own processor.
        // Blocked before: a Ctrl-C that meets the child before its first step would end it, and not sbx, which has
        // blocked all signals by the time that the child is scheduled.
        uint64_t all = ~uint64_t{0};
        uint64_t callers = 0;
        kernel(__NR_rt_sigprocmask, SIG_SETMASK, address(&all), address(&callers), kSignalSetSize);
        long pid = kernel(__NR_clone, SIGCHLD);
        if (pid == 0) {
            become_bwrap();
        }
        kernel(__NR_rt_sigprocmask, SIG_SETMASK, address(&callers), 0, kSignalSetSize);
        if (pid < 0) {
            fail("fork", pid);
            return;
        }
        started_.pid = static_cast<int>(pid);
        keep_processor();
    }

    /// The scheduler leaves a new process on its parent's processor until that sleeps, with the next one idle.
    void keep_processor() {
        unsigned here = 0;
        long size = kernel(__NR_sched_getaffinity, 0, sizeof started_.allowed, address(started_.allowed));
        if (size <= 0 || kernel(__NR_getcpu, address(&here)) < 0 || here >= kProcessors) {
            return;
        }
        constexpr unsigned kBits = 8 * sizeof(unsigned long);
        unsigned long others[kProcessors / kBits];
        bool any = false;
        for (unsigned i = 0; i < kProcessors / kBits; ++i) {
            unsigned long own = i == here / kBits ? 1UL << here % kBits : 0;
            others[i] = started_.allowed[i] & ~own;
            any = any || others[i] != 0;
        }
        started_.elsewhere = any && kernel(__NR_sched_setaffinity, started_.pid, size, address(others)) == 0;
    }

    /// What fails here is found where bwrap's own messages are.
    [[noreturn]] void give_up(const char* what, long result) const {
        size_t length = 0;
        while (what[length] != '\0') {
            ++length;
        }
        char number[] = ": error 000\n";
        constexpr size_t kUnits = sizeof number - 3;
        for (long rest = -result, i = 0; i < 3; ++i, rest /= 10) {
            number[kUnits - static_cast<size_t>(i)] = static_cast<char>('0' + rest % 10);
        }
        kernel(__NR_write, started_.errors, address(what), static_cast<long>(length));
        kernel(__NR_write, started_.errors, address(number), sizeof number - 1);
        for (;;) {
            kernel(__NR_exit_group, kFailed);
        }
    }

    void place(int from, int to) const {
        if (to < 0) {
            return;
        }
        if (long placed = kernel(__NR_dup3, from, to, 0); placed < 0) {
            give_up("descriptors", placed);
        }
    }

    [[noreturn]] void become_bwrap() {
        const unsigned long default_action[4] = {};  // as the kernel has it: handler, flags, restorer, mask
        kernel(__NR_rt_sigaction, SIGCHLD, address(default_action), 0,
               kSignalSetSize);  // ignored, bwrap would wait for ever (bubblewrap#705)
        // Keys of the caller's session stay out of reach. The filter refuses all key calls anyway, so a
        // kernel without keys or with a full quota loses nothing.
        kernel(__NR_keyctl, KEYCTL_JOIN_SESSION_KEYRING, 0);
        kernel(__NR_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
        if (long set = kernel(__NR_capset, address(&header_), address(sets_)); set < 0) {
            give_up("dropping capabilities", set);
        }
        kernel(__NR_close_range, 3, ~0U, kCloseRangeCloexec);
        for (int i = 0; i < 3; ++i) {
            place(i, request_.stdio[i]);
        }
        place(arguments_, request_.arguments);
        place(started_.program, request_.inner_program);
        place(started_.block, request_.inner_block);
        place(child_socket_, request_.socket);
        for (int i = 0; i < request_.data_count; ++i) {
            place(data_[i], request_.data[i]);
        }
        for (int i = 0; i < request_.keep_count; ++i) {
            kernel(__NR_fcntl, request_.keep[i], F_SETFD, 0);
        }
        // bwrap's monitor keeps its 0 to 2 open until the end; with the caller's pipes there, a reader
        // would not see their end when the command closes them.
        place(null_, 0);
        place(null_, 1);
        place(started_.errors, 2);
        const char* const no_environment[] = {nullptr};
        give_up(request_.program,
                kernel(__NR_execve, address(request_.program), address(request_.argv), address(no_environment)));
    }

    const Request& request_;
    Started& started_;
    int* data_;
    int arguments_ = -1;
    int child_socket_ = -1;
    int null_ = -1;
    __user_cap_header_struct header_{};
    __user_cap_data_struct sets_[_LINUX_CAPABILITY_U32S_3] = {};
};

}  // namespace

void start_bwrap(const Request& request, Started& started, int* data) { Starter(request, started, data).run(); }

}  // namespace sbx::start
