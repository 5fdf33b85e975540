#include "hold/stat_times.h"

namespace sbx::hold {
namespace {

int64_t nanoseconds(const timespec& time) {
    return int64_t{time.tv_sec} * 1000000000 + time.tv_nsec;
}

}  // namespace

int64_t modified_ns(const struct stat& status) {
    return nanoseconds(status.st_mtimespec);
}

int64_t changed_ns(const struct stat& status) {
    return nanoseconds(status.st_ctimespec);
}

int64_t born_ns(const std::string& path) {
    struct stat status {};
    return stat(path.c_str(), &status) == 0 ? nanoseconds(status.st_birthtimespec) : 0;
}

}  // namespace sbx::hold
