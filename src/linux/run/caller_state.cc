#include "linux/run/caller_state.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace sbx {

Result<void> check_descriptor(int fd) {
    struct stat status {};
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fstat(fd, &status) != 0) {
        return Error{"bad_descriptor", "descriptor " + std::to_string(fd) + " is not open", ""};
    }
    const char* what = nullptr;
    if (S_ISDIR(status.st_mode)) {
        what = "a directory";
    } else if ((flags & O_PATH) != 0) {
        what = "an O_PATH descriptor";
    } else if (S_ISBLK(status.st_mode)) {
        what = "a block device";
    }
    if (what != nullptr) {
        return Error{"bad_descriptor",
                     "descriptor " + std::to_string(fd) + " is " + what + ": it would lead out of the sandbox",
                     "redirect it to a file, a pipe or /dev/null"};
    }
    return {};
}

Result<CallerState> take_caller_state() {
    CallerState state;
    for (int fd = 0; fd < 3; ++fd) {
        if (fcntl(fd, F_GETFD) >= 0) {
            SBX_CHECK(check_descriptor(fd));
            continue;
        }
        state.stdio_open[fd] = false;
        // The lowest free number is `fd`, since all below it are open by now.
        if (open("/dev/null", O_RDWR | O_CLOEXEC) != fd) {
            return Error{"io", "/dev/null cannot be opened", ""};
        }
    }
    // Raw calls: the C library hides signals 32 and 33.
    uint64_t all = ~uint64_t{0};
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &state.signal_mask, sizeof all);
    for (int number = 1; number <= 64; ++number) {
        struct sigaction action {};
        if (sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) {
            state.ignored_signals |= uint64_t{1} << (number - 1);
        }
    }
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &action, nullptr);
    // Under a umask that takes the owner's own rights, sbx could not open again what it makes.
    mode_t mask = ::umask(077);
    ::umask(mask & 077);
    state.umask = mask;
    return state;
}

}  // namespace sbx
