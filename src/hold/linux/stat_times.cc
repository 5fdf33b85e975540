#include "hold/stat_times.h"

#include <fcntl.h>

namespace sbx::hold {
namespace {

int64_t nanoseconds(const timespec& time) {
    return int64_t{time.tv_sec} * 1000000000 + time.tv_nsec;
}

}  // namespace

int64_t modified_ns(const struct stat& status) {
    return nanoseconds(status.st_mtim);
}

int64_t changed_ns(const struct stat& status) {
    return nanoseconds(status.st_ctim);
}

int64_t born_ns(const std::string& path) {
    struct statx status {};
    if (statx(AT_FDCWD, path.c_str(), 0, STATX_BTIME, &status) != 0 || (status.stx_mask & STATX_BTIME) == 0) {
        return 0;
    }
    return int64_t{status.stx_btime.tv_sec} * 1000000000 + status.stx_btime.tv_nsec;
}

}  // namespace sbx::hold
