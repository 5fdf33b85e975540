#include "macos/run/guardian.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "hold/process_end.h"
#include "macos/run/private_places.h"
#include "macos/run/system.h"

namespace sbx {
namespace {

// A process that was just killed is listed until its parent, or launchd, has taken note of it.
constexpr int kAgainMs = 10;
constexpr pid_t kDone = 0;

void detach(int control) {
    setsid();  // a Ctrl-C, a hang-up or a kill of the process group is not for the guardian
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; ++fd) {
        dup2(null, fd);
    }
    // The caller's pipes must end with the command.
    hold::close_descriptors(3, static_cast<unsigned>(control) - 1);
    hold::close_descriptors(static_cast<unsigned>(control) + 1, ~0U);
}

[[noreturn]] void guard(int control, const std::string& mark, const std::string& directory) {
    detach(control);
    pid_t command = -1;
    hold::ProcessEnd end;
    for (;;) {
        pid_t word = -1;
        ssize_t length = read(control, &word, sizeof word);
        if (length < 0 && errno == EINTR) {
            continue;
        }
        if (length != sizeof word) {
            break;  // sbx is gone
        }
        if (word == kDone) {
            _exit(0);
        }
        command = word;
        end.watch(command);
    }
    std::vector<pid_t> left;
    bool ended = command < 0;
    while (left = processes_of_run(mark), !left.empty() || !ended) {
        if (!ended && !end.ended()) {
            left.push_back(command);
        } else {
            ended = true;
        }
        for (pid_t pid : left) {
            kill(pid, SIGKILL);
        }
        poll(nullptr, 0, kAgainMs);
    }
    remove_tree(directory);
    _exit(0);
}

}  // namespace

Result<RunGuardian> RunGuardian::start(const std::string& mark, const std::string& directory) {
    int ends[2];
    if (pipe(ends) != 0) {
        return Error{"io", std::string("pipe: ") + std::strerror(errno), ""};
    }
    Fd reading(ends[0]);
    Fd writing(ends[1]);
    fcntl(reading.get(), F_SETFD, FD_CLOEXEC);
    fcntl(writing.get(), F_SETFD, FD_CLOEXEC);
    pid_t pid = fork();
    if (pid < 0) {
        return Error{"io", std::string("fork: ") + std::strerror(errno), ""};
    }
    if (pid == 0) {
        writing.reset();
        guard(reading.get(), mark, directory);
    }
    return RunGuardian(pid, std::move(writing));
}

RunGuardian::~RunGuardian() { finish(); }

Result<void> RunGuardian::watch(pid_t command) const {
    return write_all(control_.get(), {reinterpret_cast<const char*>(&command), sizeof command});
}

void RunGuardian::finish() {
    if (!control_.valid()) {
        return;
    }
    (void)watch(kDone);
    control_.reset();
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

}  // namespace sbx
