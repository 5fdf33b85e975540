// The inner stage: process 1 of the sandbox. bwrap starts it; it finishes what must be done inside,
// runs the command as its child (a process 1 ignores signals with default action, so the command is
// never process 1), passes signals on, and reports what became of it.
//
// usage: sbx-inner BLOCK_FD SOCKET_FD
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "linux/inner/block_view.h"
#include "linux/inner/command.h"
#include "linux/inner/confine.h"
#include "linux/inner/freeze.h"
#include "linux/inner/signals.h"

namespace sbx::inner {
namespace {

int64_t now_ms() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1000000;
}

class Stage {
  public:
    Stage(const BlockView& block, int socket) : block_(block), socket_(socket) {}

    int run() {
        sigset_t all;
        sigfillset(&all);
        sigprocmask(SIG_BLOCK, &all, nullptr);
        if (const char* failed = prepare()) {
            if (!gone_) {
                send(wire::Kind::SetupFailed, errno, failed);
            }
            return 1;
        }
        StartFailure failure{};
        sigset_t early;
        sigpending(&early);
        command_ = start_command(block_, failure);
        if (command_ < 0) {
            send(failure.executing ? wire::Kind::ExecFailed : wire::Kind::SetupFailed, failure.error,
                 failure.text);
            return 1;
        }
        send(wire::Kind::Started, command_, "");
        // The caller's pipes belong to the command alone: whoever reads them sees their end when the
        // command closes them, not when sbx is done.
        close(0);
        close(1);
        close(2);
        for (uint32_t i = 0; i < block_.header->keep_count; ++i) {
            close(block_.keep[i]);
        }
        // What the group got while there was no command yet: sbx leaves it to this process.
        const int kept[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGTSTP};
        for (int number : kept) {
            if (sigismember(&early, number) == 1) {
                deliver(number);
            }
        }
        return supervise(all);
    }

  private:
    /// sbx makes the protective mounts while the filters are loaded. The file rules come last: they name what is
    /// mounted then.
    const char* prepare() {
        if (const char* failed = verify_privileges()) {
            return failed;
        }
        if (const char* failed = arrange_descriptors(block_, socket_)) {
            return failed;
        }
        send(wire::Kind::Ready, 0, "");
        if (const char* failed = restrict_system_calls(block_)) {
            return failed;
        }
        if (!wait_for_release()) {
            gone_ = true;
            return "the release";
        }
        return restrict_files(block_);
    }

    void send(wire::Kind kind, int value, const char* text) {
        wire::Message message{};
        message.kind = kind;
        message.value = value;
        strncpy(message.text, text, sizeof message.text - 1);
        (void)!::send(socket_, &message, sizeof message, MSG_NOSIGNAL);
    }

    bool wait_for_release() {
        wire::Message message{};
        ssize_t length;
        do {
            length = recv(socket_, &message, sizeof message, 0);
        } while (length < 0 && errno == EINTR);
        return length == sizeof message && message.kind == wire::Kind::Release;
    }

    int supervise(const sigset_t& all) {
        signals_ = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
        if (signals_ < 0) {
            return 1;
        }
        for (;;) {
            pollfd waiting[2] = {{signals_, POLLIN, 0}, {socket_, POLLIN, 0}};
            poll(waiting, 2, next_timeout());
            read_signals();
            bool connected = waiting[1].revents == 0 || read_message();
            // Last: a thaw reads signals too, and a SIGCHLD that it has taken does not wake the poll.
            if (reap()) {
                return 0;
            }
            if (!connected) {
                return 1;  // sbx is gone: so is everything in here as soon as process 1 ends
            }
            if (reap()) {  // again: a Thaw reads signals too, and the command may end at once
                return 0;
            }
            deliver_due();
        }
    }

    /// Signals that reached this process from outside the sandbox (si_pid 0) reached the whole process
    /// group, the command included: a copy that sbx forwards as well must not be delivered twice.
    void read_signals() {
        signalfd_siginfo info;
        while (read(signals_, &info, sizeof info) == sizeof info) {
            uint32_t number = info.ssi_signo;
            if (info.ssi_pid == 0 && number != SIGCHLD && number <= 64 && shares_group()) {
                seen_[number] = now_ms();
                due_[number] = 0;
                // As in the kernel, a stop and a continue cancel each other.
                if (number == SIGTSTP) {
                    due_[SIGCONT] = 0;
                    stopped_while_frozen_ = frozen_;
                } else if (number == SIGCONT) {
                    due_[SIGTSTP] = 0;
                    stopped_while_frozen_ = false;
                    stop_is_known_ = false;
                }
            }
        }
    }

    /// False for a shell with job control, which makes itself a group: what was sent to ours missed it.
    bool shares_group() const { return command_ <= 0 || getpgid(command_) == getpgrp(); }

    bool seen_lately(int number) const {
        return shares_group() && seen_[number] != 0 && now_ms() - seen_[number] <= block_.header->group_window_ms * 10;
    }

    bool read_message() {
        wire::Message message{};
        ssize_t length = recv(socket_, &message, sizeof message, MSG_DONTWAIT);
        if (length < 0) {
            return errno == EAGAIN || errno == EINTR;
        }
        if (length != sizeof message) {
            return false;
        }
        if (message.kind == wire::Kind::Freeze) {
            frozen_ = true;
            send(wire::Kind::Frozen, freeze_everything(), "");
        } else if (message.kind == wire::Kind::Thaw) {
            thaw();
        } else if (message.kind == wire::Kind::Signal && message.value == SIGCONT && message.stops != stops_) {
            // Meant to undo an earlier stop: the latest one came after it.
        } else if (message.kind == wire::Kind::Signal && message.value > 0 && message.value <= 64 &&
            !seen_lately(message.value) && due_[message.value] == 0) {
            due_[message.value] = now_ms() + block_.header->group_window_ms;
        }
        return true;
    }

    /// Milliseconds until the next waiting signal must be delivered; -1 when none waits.
    int next_timeout() const {
        int64_t nearest = -1;
        for (int64_t due : due_) {
            if (due != 0 && (nearest < 0 || due < nearest)) {
                nearest = due;
            }
        }
        if (nearest < 0) {
            return -1;
        }
        int64_t left = nearest - now_ms();
        return left > 0 ? static_cast<int>(left) : 0;
    }

    void deliver_due() {
        int64_t now = now_ms();
        for (int number = 1; number <= 64; ++number) {
            if (due_[number] != 0 && due_[number] <= now) {
                due_[number] = 0;
                deliver(number);
            }
        }
    }

    /// In a session of its own the command's group is orphaned, so the kernel would ignore a TSTP that
    /// the command does not handle.
    void deliver(int number) {
        bool orphaned = getsid(0) == getpid();
        kill(command_, number == SIGTSTP && orphaned && has_default_action(command_, SIGTSTP) ? SIGSTOP : number);
    }

    /// The terminal may have continued the group and stopped it again before sbx came to say Thaw, or
    /// stop it just while everything is continued here.
    void thaw() {
        read_signals();
        if (!stopped_while_frozen_) {
            thaw_everything();
            read_signals();
        }
        frozen_ = false;
        if (stopped_while_frozen_) {
            stopped_while_frozen_ = false;
            stop_is_known_ = true;
            report_stop(SIGTSTP);
        }
    }

    void report_stop(int number) {
        seen_[SIGCONT] = 0;  // the next one is a new one, however soon it comes
        due_[SIGCONT] = 0;
        ++stops_;
        send(wire::Kind::Stopped, number, "");
    }

    /// True when the command itself has ended.
    bool reap() {
        int status;
        pid_t pid;
        while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED | WCONTINUED)) > 0) {
            if (pid != command_) {
                continue;
            }
            if (frozen_ && !WIFEXITED(status) && !WIFSIGNALED(status)) {
                continue;  // stopped by freeze_everything(), which is nobody else's business
            }
            if (WIFSTOPPED(status) && stop_is_known_) {
                stop_is_known_ = false;
            } else if (WIFSTOPPED(status)) {
                report_stop(WSTOPSIG(status));
            } else if (WIFCONTINUED(status)) {
                send(wire::Kind::Continued, 0, "");
            } else {
                send(wire::Kind::Exited, status, "");
                return true;
            }
        }
        return false;
    }

    const BlockView& block_;
    int socket_;
    int signals_ = -1;
    pid_t command_ = -1;
    bool gone_ = false;  // sbx, before the command could start
    bool frozen_ = false;
    bool stopped_while_frozen_ = false;
    bool stop_is_known_ = false;  // reported before waitpid() told of it
    uint32_t stops_ = 0;  // Stopped messages
    int64_t seen_[65] = {};
    int64_t due_[65] = {};
};

}  // namespace
}  // namespace sbx::inner

int main(int argc, char** argv) {
    // Nothing inside may read this process's memory or descriptors, nor attach to it.
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    if (argc != 3) {
        return 1;
    }
    sbx::inner::BlockView block;
    int socket = atoi(argv[2]);
    if (!sbx::inner::map_block(atoi(argv[1]), block)) {
        return 1;
    }
    return sbx::inner::Stage(block, socket).run();
}
