#include "vm/run/stdio_state.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sbx::vm {
namespace {

bool is_null_device(int fd) {
    struct stat given {};
    struct stat null {};
    return fstat(fd, &given) == 0 && stat("/dev/null", &null) == 0 && S_ISCHR(given.st_mode) &&
           given.st_rdev == null.st_rdev;
}

bool is_pipe(int fd) {
    struct stat status {};
    return fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode);
}

}  // namespace

StdioState::StdioState() {
    flags_ = fcntl(STDIN_FILENO, F_GETFL);
    bool terminal = isatty(STDIN_FILENO) != 0;
    have_modes_ = terminal && tcgetattr(STDIN_FILENO, &modes_) == 0;
    bool background = terminal && tcgetpgrp(STDIN_FILENO) != getpgrp();
    bool pager = terminal && is_pipe(STDOUT_FILENO);
    options_.interactive = flags_ >= 0 && !is_null_device(STDIN_FILENO) && !background && !pager;
    options_.terminal =
        options_.interactive && terminal && isatty(STDOUT_FILENO) != 0 && isatty(STDERR_FILENO) != 0;
}

StdioState::~StdioState() {
    if (flags_ >= 0) {
        fcntl(STDIN_FILENO, F_SETFL, flags_);
    }
    // From the background this would stop sbx (SIGTTOU), and the modes are somebody else's by then.
    if (have_modes_ && tcgetpgrp(STDIN_FILENO) == getpgrp()) {
        tcsetattr(STDIN_FILENO, TCSANOW, &modes_);
    }
}

}  // namespace sbx::vm
