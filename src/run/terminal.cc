#include "run/terminal.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>

#include "run/process_group.h"

namespace sbx {
namespace {

// What sbx had started in its own group may still be on its way out when sbx is gone.
constexpr int kRounds = 50;
constexpr std::chrono::milliseconds kPause{10};

}  // namespace

Terminal::Terminal() {
    Fd fd(open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
    if (!fd.valid() || tcgetpgrp(fd.get()) != getpgrp()) {
        return;
    }
    group_ = getpgrp();
    parent_ = getppid();
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
    if (have_modes_ && tcgetpgrp(fd_.get()) == group_ && !has_strangers(group_, parent_)) {
        tcsetattr(fd_.get(), TCSANOW, &modes_);
    }
}

void Terminal::restore_after_kill() const {
    if (fd_.valid() && (kill(-group_, 0) == 0 || errno == EPERM)) {
        restore_foreground();
        for (int round = 0; round < kRounds && has_strangers(group_, parent_); ++round) {
            std::this_thread::sleep_for(kPause);
        }
        restore_modes();
    }
}

}  // namespace sbx
