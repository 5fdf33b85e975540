#include "hold/process_end.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace sbx::hold {

void close_descriptors(unsigned first, unsigned last) {
    syscall(SYS_close_range, first, last, 0);
}

Fd keep_mounts(pid_t pid) {
    return Fd(open(("/proc/" + std::to_string(pid) + "/ns/mnt").c_str(), O_RDONLY | O_CLOEXEC));
}

void ProcessEnd::watch(pid_t pid) {
    // Process 1 of a pid namespace is a zombie only when all others in it are gone.
    handle_.reset(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
}

void ProcessEnd::wait() const {
    pollfd waiting{handle_.get(), POLLIN, 0};
    while (handle_.valid() && poll(&waiting, 1, -1) < 0 && errno == EINTR) {
    }
}

bool ProcessEnd::ended() const {
    pollfd asked{handle_.get(), POLLIN, 0};
    return !handle_.valid() || poll(&asked, 1, 0) > 0;
}

}  // namespace sbx::hold
