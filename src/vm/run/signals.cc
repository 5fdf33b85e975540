#include "vm/run/signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace sbx::vm {
namespace {

constexpr int kPassedOn[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH, SIGCHLD};

// A handler has no argument of ours: the one pipe end it writes to has to be reachable from it.
volatile sig_atomic_t handler_pipe = -1;

void handle(int number, siginfo_t* info, void*) {
    int saved = errno;
    // The kernel's own signals have no sender: neither a process nor the code that kill(2) leaves.
    bool from_terminal = info != nullptr && info->si_pid == 0 && info->si_code != SI_USER;
    char message[2] = {static_cast<char>(number), static_cast<char>(from_terminal ? 1 : 0)};
    (void)!write(handler_pipe, message, sizeof message);
    errno = saved;
}

}  // namespace

Result<SignalEvents> SignalEvents::start() {
    int ends[2];
    if (pipe(ends) != 0) {
        return Error{"io", std::string("pipe: ") + std::strerror(errno), ""};
    }
    for (int fd : ends) {
        fcntl(fd, F_SETFD, FD_CLOEXEC);
        fcntl(fd, F_SETFL, O_NONBLOCK);
    }
    handler_pipe = ends[1];
    for (int number : kPassedOn) {
        struct sigaction current {};
        sigaction(number, nullptr, &current);
        bool ignored = current.sa_handler == SIG_IGN;
        if (ignored && number != SIGCHLD && number != SIGWINCH) {
            continue;
        }
        struct sigaction action {};
        action.sa_sigaction = handle;
        action.sa_flags = SA_SIGINFO | SA_RESTART;
        sigfillset(&action.sa_mask);
        sigaction(number, &action, nullptr);
    }
    return SignalEvents(Fd(ends[0]), Fd(ends[1]));
}

SignalEvents::~SignalEvents() {
    if (!reading_.valid()) {
        return;
    }
    for (int number : kPassedOn) {
        struct sigaction current {};
        sigaction(number, nullptr, &current);
        if ((current.sa_flags & SA_SIGINFO) != 0) {
            signal(number, SIG_DFL);
        }
    }
    handler_pipe = -1;
}

std::optional<SignalEvents::Event> SignalEvents::next() {
    char message[2];
    if (read(reading_.get(), message, sizeof message) != sizeof message) {
        return std::nullopt;
    }
    return Event{message[0], message[1] != 0};
}

}  // namespace sbx::vm
