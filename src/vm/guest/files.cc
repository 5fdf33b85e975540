#include "vm/guest/files.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

namespace sbx::guest {

bool read_file(const char* path, FileText& text) {
    text.clear();
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    char buffer[4096];
    ssize_t got = 0;
    while ((got = read(fd, buffer, sizeof buffer)) != 0) {
        if (got < 0 && errno != EINTR) {
            break;
        }
        if (got > 0) {
            text.add(buffer, static_cast<size_t>(got));
        }
    }
    int error = got < 0 ? errno : 0;
    close(fd);
    if (error == 0 && text.full()) {
        error = EFBIG;
    }
    errno = error;
    return error == 0;
}

}  // namespace sbx::guest
