#include "linux/run/stop_like.h"

#include <unistd.h>

#include <csignal>

namespace sbx {

void stop_like(int number) {
    if (number == SIGTSTP || number == SIGTTIN || number == SIGTTOU) {
        sigset_t only;
        sigemptyset(&only);
        sigaddset(&only, number);
        kill(getpid(), number);
        sigset_t pending;
        sigprocmask(SIG_UNBLOCK, &only, nullptr);
        sigprocmask(SIG_BLOCK, &only, nullptr);
        // Continued, or continued before it could stop: the kernel takes the stop back then.
        if (sigpending(&pending) == 0 && sigismember(&pending, SIGCONT) == 1) {
            return;
        }
    }
    kill(getpid(), SIGSTOP);
}

}  // namespace sbx
