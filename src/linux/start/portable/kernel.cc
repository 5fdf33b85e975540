#include "linux/start/kernel.h"

#include <unistd.h>

#include <cerrno>

namespace sbx::start {

long kernel(long number, long a, long b, long c, long d, long e) {
    long result = syscall(number, a, b, c, d, e);
    return result == -1 ? -errno : result;
}

}  // namespace sbx::start
