#include "vm/guest/command.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vm/guest/text.h"
#include "vm/render/guest.h"

namespace sbx::guest {
namespace {

constexpr long kCloseRange = 436;

[[noreturn]] void become(char** argv, char** environment) {
    // The C library knows the search of PATH only with the process's own environment.
    environ = environment;
    for (int number = 1; number < 65; ++number) {
        signal(number, SIG_DFL);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    syscall(kCloseRange, 3U, ~0U, 0U);
    execvp(argv[0], argv);
    int error = errno;
    Message message;
    message.add("sbx: ");
    message.add(argv[0]);
    message.add(error == ENOENT ? ": command not found" : ": ");
    message.add(error == ENOENT ? "" : strerror(error));
    message.add("\n");
    (void)!write(2, message.data(), message.length());
    _exit(error == ENOENT || error == ENOTDIR ? 127 : 126);
}

/// Collects every dead child. True, with its status, when the command is among them.
bool reap(pid_t command, int& result) {
    int status = 0;
    bool ended = false;
    for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
        if (pid == command) {
            ended = true;
            result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        }
    }
    return ended;
}

}  // namespace

void clean_environment(char** environment) {
    char** kept = environment;
    for (char** at = environment; *at != nullptr; ++at) {
        bool own = strncmp(*at, vm::kVariablePrefix, strlen(vm::kVariablePrefix)) == 0;
        size_t length = strlen(vm::kProfileVariable);
        bool profile = strncmp(*at, vm::kProfileVariable, length) == 0 && (*at)[length] == '=';
        if (!own || profile) {
            *kept++ = *at;
        }
    }
    *kept = nullptr;
}

int run_command(char** argv, char** environment) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    // Not always process 1: with --init that is the tool's own. Orphans come here all the same.
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    pid_t command = fork();
    if (command == 0) {
        become(argv, environment);
    }
    if (command < 0) {
        return vm::kRefused;
    }
    for (int result = 0;;) {
        siginfo_t info{};
        int number = sigwaitinfo(&all, &info);
        if (number == SIGCHLD) {
            if (reap(command, result)) {
                return result;
            }
        } else if (number > 0 && info.si_code != SI_KERNEL) {
            // One from the terminal went to the whole group, the command included.
            kill(command, number);
        }
    }
}

}  // namespace sbx::guest
