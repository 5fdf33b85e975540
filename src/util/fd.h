// Ownership of file descriptors.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "util/result.h"

namespace sbx {

/// Owns one file descriptor; closes it when destroyed. -1 means none.
class Fd {
  public:
    Fd() = default;
    explicit Fd(int fd) : fd_(fd) {}
    Fd(Fd&& other) noexcept : fd_(other.release()) {}
    Fd& operator=(Fd&& other) noexcept {
        if (this != &other) {
            reset(other.release());
        }
        return *this;
    }
    Fd(const Fd&) = delete;
    Fd& operator=(const Fd&) = delete;
    ~Fd() { reset(); }

    int get() const { return fd_; }
    bool valid() const { return fd_ >= 0; }
    int release() { return std::exchange(fd_, -1); }
    void reset(int fd = -1);

  private:
    int fd_ = -1;
};

/// Writes all of `bytes`, resuming after short writes and EINTR. Error: code "io".
Result<void> write_all(int fd, std::string_view bytes);

/// The same for the file `path`, which the error names, with what to do where there is no room.
Result<void> write_all(int fd, std::string_view bytes, const std::string& path);

/// For an Error's hint: what to do where making or writing `path` failed with `code`; "" where nothing is known.
std::string room_hint(int code, const std::string& path);

/// Reads `fd` to its end, at most `limit` bytes. Error: "io", or "oversized" when there is more.
Result<std::string> read_all(int fd, size_t limit);

}  // namespace sbx
