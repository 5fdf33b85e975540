#include "run/terminal.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace sbx {

Terminal::Terminal() {
    Fd fd(open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
    if (!fd.valid() || tcgetpgrp(fd.get()) != getpgrp()) {
        return;
    }
    group_ = getpgrp();
    have_modes_ = tcgetattr(fd.get(), &modes_) == 0;
    fd_ = std::move(fd);
}

void Terminal::restore_foreground() const {
    if (!fd_.valid()) {
        return;
    }
    pid_t current = tcgetpgrp(fd_.get());
    // A living group in the foreground is the user's shell after `bg`: not ours to take it from.
    if (current > 0 && current != group_ && kill(-current, 0) != 0 && errno == ESRCH) {
        tcsetpgrp(fd_.get(), group_);
    }
}

void Terminal::restore_modes() const {
    if (have_modes_ && tcgetpgrp(fd_.get()) == group_) {
        tcsetattr(fd_.get(), TCSANOW, &modes_);
    }
}

}  // namespace sbx
