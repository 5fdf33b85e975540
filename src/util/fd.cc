#include "util/fd.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "util/text.h"

namespace sbx {

void Fd::reset(int fd) {
    if (fd_ >= 0) {
        ::close(fd_);
    }
    fd_ = fd;
}

namespace {

/// The error number, 0 when all was written.
int try_to_write(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        ssize_t written = ::write(fd, bytes.data(), bytes.size());
        if (written < 0 && errno != EINTR) {
            return errno;
        }
        bytes.remove_prefix(written < 0 ? 0 : static_cast<size_t>(written));
    }
    return 0;
}

}  // namespace

Result<void> write_all(int fd, std::string_view bytes) {
    int code = try_to_write(fd, bytes);
    return code == 0 ? Result<void>() : Result<void>(Error{"io", std::string("write: ") + std::strerror(code), ""});
}

Result<void> write_all(int fd, std::string_view bytes, const std::string& path) {
    int code = try_to_write(fd, bytes);
    return code == 0 ? Result<void>()
                     : Result<void>(Error{"io", printable_line(path) + ": write: " + std::strerror(code),
                                          room_hint(code, path)});
}

std::string room_hint(int code, const std::string& path) {
    if (code == EDQUOT) {
        return "your quota there is used up: remove something below " + printable_line(path_parent(path));
    }
    return code == ENOSPC ? "no room is left on that file system; see df -h and df -i " + shell_quote(path_parent(path)) : "";
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
