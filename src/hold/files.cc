#include "hold/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include "util/text.h"

namespace sbx::hold {
namespace {

constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr size_t kLargestFile = size_t{256} << 20;

Error failure(const std::string& path, const char* what) {
    return Error{"io", printable_line(path) + ": " + what + ": " + std::strerror(errno), ""};
}

std::vector<std::string> names_in(int directory) {
    std::vector<std::string> names;
    int copy = fcntl(directory, F_DUPFD_CLOEXEC, 0);
    DIR* stream = copy < 0 ? nullptr : fdopendir(copy);
    if (stream == nullptr) {
        if (copy >= 0) {
            close(copy);
        }
        return names;
    }
    rewinddir(stream);
    while (dirent* entry = readdir(stream)) {
        std::string name = entry->d_name;
        if (name != "." && name != "..") {
            names.push_back(std::move(name));
        }
    }
    closedir(stream);
    return names;
}

bool remove_at(int directory, const std::string& name) {
    if (unlinkat(directory, name.c_str(), 0) == 0 || errno == ENOENT) {
        return true;
    }
    if (errno != EISDIR && errno != EPERM) {
        return false;
    }
    Fd inner(openat(directory, name.c_str(), kDirectory));
    if (!inner.valid() && errno == EACCES) {
        // The command's own mode must not keep it in place. By descriptor: another run may be swapping links.
        Fd found(openat(directory, name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        std::string path = "/proc/self/fd/" + std::to_string(found.get());
        (void)!chmod(path.c_str(), 0700);
        inner.reset(openat(directory, name.c_str(), kDirectory));
    }
    if (!inner.valid()) {
        return false;
    }
    (void)!fchmod(inner.get(), 0700);
    for (const auto& child : names_in(inner.get())) {
        if (!remove_at(inner.get(), child)) {
            return false;
        }
    }
    return unlinkat(directory, name.c_str(), AT_REMOVEDIR) == 0;
}

bool set_times(int directory, const char* name, int64_t modified_ns) {
    timespec times[2] = {{0, UTIME_OMIT}, {modified_ns / 1000000000, modified_ns % 1000000000}};
    return utimensat(directory, name, times, AT_SYMLINK_NOFOLLOW) == 0;
}

}  // namespace

Fd open_parent(int root, const std::string& relative, bool create) {
    Fd at(fcntl(root, F_DUPFD_CLOEXEC, 0));
    auto components = path_components(relative);
    for (size_t i = 0; i + 1 < components.size() && at.valid(); ++i) {
        const char* name = components[i].c_str();
        Fd next(openat(at.get(), name, kDirectory));
        if (!next.valid() && errno == ENOENT && create && mkdirat(at.get(), name, 0755) == 0) {
            next.reset(openat(at.get(), name, kDirectory));
        }
        at = std::move(next);
    }
    return at;
}

bool read_item(int directory, const std::string& name, Item& item) {
    struct stat status {};
    if (fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
        return false;
    }
    item.mode = status.st_mode & 07777;
    item.modified_ns = int64_t{status.st_mtim.tv_sec} * 1000000000 + status.st_mtim.tv_nsec;
    item.content.clear();
    if (S_ISDIR(status.st_mode)) {
        item.kind = Item::Kind::Directory;
        return true;
    }
    if (S_ISLNK(status.st_mode)) {
        item.kind = Item::Kind::Link;
        std::string text(4096, '\0');
        ssize_t length = readlinkat(directory, name.c_str(), text.data(), text.size());
        item.content = text.substr(0, length > 0 ? static_cast<size_t>(length) : 0);
        return length >= 0;
    }
    if (!S_ISREG(status.st_mode)) {
        item.kind = Item::Kind::Other;
        return true;
    }
    item.kind = Item::Kind::File;
    Fd file(openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!file.valid()) {
        return false;
    }
    auto content = read_all(file.get(), kLargestFile);
    if (!content.ok()) {
        errno = EFBIG;
        return false;
    }
    item.content = std::move(content.value());
    return true;
}

Result<void> put_item(int root, const std::string& relative, const Item& item) {
    Fd parent = open_parent(root, relative, true);
    if (!parent.valid()) {
        return failure(relative, "its folder cannot be opened");
    }
    std::string name = path_name(relative);
    if (item.kind == Item::Kind::Directory) {
        struct stat status {};
        bool there = fstatat(parent.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
        if (there && !S_ISDIR(status.st_mode) && !remove_at(parent.get(), name)) {
            return failure(relative, "cannot be replaced");
        }
        if (mkdirat(parent.get(), name.c_str(), 0700) != 0 && errno != EEXIST) {
            return failure(relative, "mkdir");
        }
        if (fchmodat(parent.get(), name.c_str(), item.mode, 0) != 0) {
            return failure(relative, "chmod");
        }
        return {};
    }
    std::string temporary = ".sbx-" + std::to_string(getpid()) + "-restore";
    unlinkat(parent.get(), temporary.c_str(), 0);
    if (item.kind == Item::Kind::Link) {
        if (symlinkat(item.content.c_str(), parent.get(), temporary.c_str()) != 0) {
            return failure(relative, "symlink");
        }
    } else {
        Fd file(openat(parent.get(), temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
        if (!file.valid()) {
            return failure(relative, "create");
        }
        auto written = write_all(file.get(), item.content);
        if (!written.ok() || fchmod(file.get(), item.mode) != 0) {
            unlinkat(parent.get(), temporary.c_str(), 0);
            return failure(relative, "write");
        }
    }
    set_times(parent.get(), temporary.c_str(), item.modified_ns);
    struct stat status {};
    if (fstatat(parent.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode) &&
        !remove_at(parent.get(), name)) {
        return failure(relative, "cannot be replaced");
    }
    if (renameat(parent.get(), temporary.c_str(), parent.get(), name.c_str()) != 0) {
        unlinkat(parent.get(), temporary.c_str(), 0);
        return failure(relative, "rename");
    }
    return {};
}

Result<void> remove_item(int root, const std::string& relative) {
    Fd parent = open_parent(root, relative, false);
    if (!parent.valid()) {
        return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? Result<void>() : failure(relative, "open");
    }
    if (!remove_at(parent.get(), path_name(relative))) {
        return failure(relative, "cannot be removed");
    }
    return {};
}

}  // namespace sbx::hold
