#include "run/placeholders.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "util/text.h"

namespace sbx {
namespace {

constexpr int kAttempts = 100;

Error failure(const std::string& path, const std::string& reason) {
    return Error{"setup_failed", "holding the place of " + printable_line(path) + ": " + reason, ""};
}

/// Complete from the first moment on: a git on the host that read half of it would fail.
bool make(const Placeholder& wanted) {
    const char* path = wanted.path.c_str();
    if (wanted.is_directory) {
        return mkdir(path, 0755) == 0 || errno == EEXIST;
    }
    std::string temporary = wanted.path + ".sbx-" + std::to_string(getpid());
    Fd file(open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644));
    bool made = file.valid() && write_all(file.get(), wanted.data).ok() &&
                (link(temporary.c_str(), path) == 0 || errno == EEXIST);
    int error = errno;
    unlink(temporary.c_str());
    errno = error;
    return made;
}

/// True when `path` still leads to `fd`, and that is as it was made.
bool is_unchanged(const Placeholder& what, int fd) {
    struct stat opened {};
    struct stat named {};
    if (fstat(fd, &opened) != 0 || lstat(what.path.c_str(), &named) != 0 || opened.st_ino != named.st_ino ||
        opened.st_dev != named.st_dev) {
        return false;
    }
    if (what.is_directory) {
        return S_ISDIR(opened.st_mode);  // rmdir removes empty ones only
    }
    std::string content(what.data.size() + 1, '\0');
    ssize_t size = pread(fd, content.data(), content.size(), 0);
    return size == static_cast<ssize_t>(what.data.size()) && content.compare(0, what.data.size(), what.data) == 0;
}

}  // namespace

Placeholders::~Placeholders() {
    for (auto held = held_.rbegin(); held != held_.rend(); ++held) {
        remove_if_last(*held);
    }
}

Result<void> Placeholders::place(const std::vector<Placeholder>& wanted) {
    for (const Placeholder& placeholder : wanted) {
        bool done = false;
        for (int attempt = 0; attempt < kAttempts && !done; ++attempt) {
            SBX_ASSIGN(done, hold(placeholder));
        }
        if (!done) {
            return failure(placeholder.path, "it changes all the time");
        }
    }
    return {};
}

/// False when the last run before this one removed it in between.
Result<bool> Placeholders::hold(const Placeholder& wanted) {
    int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (wanted.is_directory ? O_DIRECTORY : 0);
    Held held{wanted, Fd(open(wanted.path.c_str(), flags))};
    if (!held.file.valid()) {
        if (errno != ENOENT || !make(wanted)) {
            return failure(wanted.path, std::strerror(errno));
        }
        return false;  // and now open it like every other run
    }
    // A command inside can hold a lock that is in the way. Then this one has none, which at worst lets
    // another run remove the file too early; the mount guard makes it again.
    flock(held.file.get(), LOCK_SH | LOCK_NB);
    struct stat status {};
    if (fstat(held.file.get(), &status) != 0 || status.st_nlink == 0) {
        return false;
    }
    if (!is_unchanged(wanted, held.file.get())) {
        struct stat named {};
        if (lstat(wanted.path.c_str(), &named) != 0 && errno == ENOENT) {
            return false;
        }
        return failure(wanted.path, "something else is there; try again");
    }
    held_.push_back(std::move(held));
    return true;
}

void Placeholders::remove_if_last(const Held& held) {
    if (flock(held.file.get(), LOCK_EX | LOCK_NB) != 0 || !is_unchanged(held.what, held.file.get())) {
        return;
    }
    if (held.what.is_directory) {
        rmdir(held.what.path.c_str());
    } else {
        unlink(held.what.path.c_str());
    }
}

}  // namespace sbx
