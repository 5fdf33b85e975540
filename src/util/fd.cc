#include "util/fd.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace sbx {

void Fd::reset(int fd) {
    if (fd_ >= 0) {
        ::close(fd_);
    }
    fd_ = fd;
}

Result<void> write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        ssize_t written = ::write(fd, bytes.data(), bytes.size());
        if (written < 0) {
            if (errno == EINTR) {
                continue;
            }
            return Error{"io", std::string("write: ") + std::strerror(errno), ""};
        }
        bytes.remove_prefix(static_cast<size_t>(written));
    }
    return {};
}

Result<std::string> read_all(int fd, size_t limit) {
    std::string content;
    char buffer[16384];
    for (;;) {
        ssize_t got = ::read(fd, buffer, sizeof buffer);
        if (got < 0) {
            if (errno == EINTR) {
                continue;
            }
            return Error{"io", std::string("read: ") + std::strerror(errno), ""};
        }
        if (got == 0) {
            return content;
        }
        content.append(buffer, static_cast<size_t>(got));
        if (content.size() > limit) {
            return Error{"oversized", "larger than " + std::to_string(limit) + " bytes", ""};
        }
    }
}

}  // namespace sbx
