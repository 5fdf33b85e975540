#include "linux/run/sources.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "host/resolve.h"
#include "util/fd.h"
#include "util/text.h"

namespace sbx {
namespace {

bool reached_without_link(const std::string& path) {
    open_how how{};
    how.flags = O_PATH | O_CLOEXEC;
    how.resolve = RESOLVE_NO_SYMLINKS;
    Fd fd(static_cast<int>(syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how)));
    if (!fd.valid() && (errno == ENOSYS || errno == EPERM)) {
        return real_path(path) == path;  // Linux before 5.6, or a container's filter
    }
    return fd.valid();
}

}  // namespace

Result<void> check_sources(const Plan& plan) {
    for (const Mount& mount : plan.mounts) {
        bool from_host = mount.kind == Mount::Kind::Bind || mount.kind == Mount::Kind::Kept;
        bool granted = from_host && mount.purpose != Purpose::System &&
                       mount.purpose != Purpose::Device && mount.purpose < Purpose::Policy;
        if (granted && !reached_without_link(mount.source)) {
            return Error{"changed",
                         printable_line(mount.source) + ": " +
                             (errno == ELOOP ? "a symbolic link has taken its place" : std::strerror(errno)) + " (" +
                             mount.rule + ")",
                         "start again; if it stays like this, look at what else writes there"};
        }
    }
    return {};
}

}  // namespace sbx
