#include "hold/process_end.h"

#include <sys/event.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace sbx::hold {

void close_descriptors(unsigned first, unsigned last) {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    unsigned highest = static_cast<unsigned>(std::min<rlim_t>(limit.rlim_cur, 65536));
    for (unsigned fd = first; fd <= last && fd < highest; ++fd) {
        close(static_cast<int>(fd));
    }
}

Fd keep_mounts(pid_t) { return Fd(); }

void ProcessEnd::watch(pid_t pid) {
    handle_.reset(kqueue());
    struct kevent change {};
    EV_SET(&change, static_cast<uintptr_t>(pid), EVFILT_PROC, EV_ADD | EV_ONESHOT, NOTE_EXIT, 0, nullptr);
    if (kevent(handle_.get(), &change, 1, nullptr, 0, nullptr) != 0) {
        handle_.reset();  // gone already
    }
}

void ProcessEnd::wait() const {
    struct kevent event {};
    while (handle_.valid() && kevent(handle_.get(), nullptr, 0, &event, 1, nullptr) < 0 && errno == EINTR) {
    }
}

bool ProcessEnd::ended() const {
    struct kevent event {};
    timespec now{};
    return !handle_.valid() || kevent(handle_.get(), nullptr, 0, &event, 1, &now) > 0;
}

}  // namespace sbx::hold
