#include "run/outcome.h"

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>

#include "run/run.h"

namespace sbx {

int exit_status(const Outcome& outcome) {
    switch (outcome.kind) {
        case Outcome::Kind::Exited: return outcome.value;
        case Outcome::Kind::Signalled: return 128 + outcome.value;
        case Outcome::Kind::TimedOut: return ExitStatus::kTimeout;
        case Outcome::Kind::NotFound: return ExitStatus::kNotFound;
        case Outcome::Kind::NotExecutable: return ExitStatus::kNotExecutable;
        case Outcome::Kind::Failed: return ExitStatus::kFailed;
    }
    return ExitStatus::kFailed;
}

void finish(const Outcome& outcome) {
    if (outcome.kind == Outcome::Kind::Signalled) {
        // The core dump, if any, is the command's; a second one of sbx would only mislead.
        const rlimit no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        struct sigaction action {};
        action.sa_handler = SIG_DFL;
        sigaction(outcome.value, &action, nullptr);
        sigset_t only;
        sigemptyset(&only);
        sigaddset(&only, outcome.value);
        kill(getpid(), outcome.value);
        sigprocmask(SIG_UNBLOCK, &only, nullptr);
    }
    _exit(exit_status(outcome));
}

}  // namespace sbx
