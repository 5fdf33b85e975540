#include "vm/run/guardian.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "vm/run/folder.h"
#include "vm/run/tool.h"

namespace sbx::vm {
namespace {

constexpr int kDeleteMs = 60'000;
constexpr int kAgainMs = 1000;
// A tool whose process id never arrived may still be making its VM.
constexpr int kAttempts = 30;
// So may the service of a tool that was killed.
constexpr int kAttemptsAfterKill = 5;
constexpr pid_t kToolKilled = 0;

Error failure(const char* what) {
    return Error{"io", std::string(what) + ": " + std::strerror(errno), ""};
}

Result<std::pair<Fd, Fd>> make_pipe() {
    int ends[2];
    if (pipe(ends) != 0) {
        return failure("pipe");
    }
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return std::make_pair(Fd(ends[0]), Fd(ends[1]));
}

bool is_closed(int fd, int timeout_ms) {
    pollfd waiting = {fd, POLLIN, 0};
    char byte = 0;
    return poll(&waiting, 1, timeout_ms) > 0 && read(fd, &byte, 1) <= 0;
}

struct End {
    pid_t tool = -1;             ///< -1: it was not told before sbx was gone
    bool tool_killed = false;
};

/// Waits for the end of sbx.
End wait_for_the_end(int control) {
    End end;
    for (;;) {
        pid_t value = -1;
        ssize_t got = read(control, &value, sizeof value);
        if (got == sizeof value && value == kToolKilled) {
            end.tool_killed = true;
        } else if (got == sizeof value) {
            end.tool = value;
        } else if (got >= 0 || errno != EINTR) {
            return end;
        }
    }
}

void detach(int control, int life) {
    setsid();
    // Nobody outside has to know that this process exists, and no signal meant for sbx ends it.
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    signal(SIGCHLD, SIG_DFL);
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; ++fd) {
        dup2(null, fd);
    }
    // The caller's pipes must close when the command is done with them, not when this process is.
    long limit = sysconf(_SC_OPEN_MAX);
    for (int fd = 3; fd < (limit < 0 || limit > 65536 ? 65536 : limit); ++fd) {
        if (fd != control && fd != life) {
            close(fd);
        }
    }
}

[[noreturn]] void guard(int control, int life, const std::vector<std::string>& words,
                        const std::vector<std::string>& environment, const std::string& folder) {
    detach(control, life);
    End end = wait_for_the_end(control);
    if (end.tool > 0 && !is_closed(life, 0)) {
        kill(end.tool, SIGKILL);
        end.tool_killed = true;
    }
    auto deleted = [&] {
        auto answer = ask_tool(words, environment, kDeleteMs);
        return answer && answer->status == 0;
    };
    for (int attempt = 0; attempt < kAttempts && !is_closed(life, attempt == 0 ? 0 : kAgainMs); ++attempt) {
        (void)deleted();
    }
    for (int attempt = 1; !deleted() && end.tool_killed && attempt < kAttemptsAfterKill; ++attempt) {
        poll(nullptr, 0, kAgainMs);
    }
    remove_private_folder(folder);
    _exit(0);
}

}  // namespace

Result<Guardian> Guardian::start(const std::vector<std::string>& words,
                                 const std::vector<std::string>& environment, const std::string& folder) {
    SBX_ASSIGN(auto control, make_pipe());
    SBX_ASSIGN(auto life, make_pipe());
    pid_t pid = fork();
    if (pid < 0) {
        return failure("fork");
    }
    if (pid == 0) {
        control.second.reset();
        life.second.reset();
        guard(control.first.get(), life.first.get(), words, environment, folder);
    }
    return Guardian(pid, std::move(control.second), std::move(life.second));
}

Guardian::~Guardian() {
    finish();
}

void Guardian::watch(pid_t tool) {
    (void)!write(control_.get(), &tool, sizeof tool);
    life_.reset();
}

void Guardian::finish(bool tool_killed) {
    if (!control_.valid()) {
        return;
    }
    if (tool_killed) {
        pid_t word = kToolKilled;
        (void)!write(control_.get(), &word, sizeof word);
    }
    life_.reset();
    control_.reset();
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

}  // namespace sbx::vm
