#include "hold/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "hold/stat_times.h"
#include "hold/tree.h"
#include "util/text.h"

namespace sbx::hold {
namespace {

constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr int kRead = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

Error failure(const std::string& path, const char* what) {
    return Error{"io", printable_line(path) + ": " + what + ": " + std::strerror(errno), ""};
}

/// A directory that is written to although its mode forbids it: the command's own mode must not keep
/// anything in place, or out. The mode comes back at the end.
class Writable {
  public:
    explicit Writable(int directory) : directory_(directory) {
        struct stat status {};
        if (fstat(directory, &status) == 0 && (status.st_mode & 0300) != 0300 && status.st_uid == geteuid()) {
            mode_ = status.st_mode & 07777;
            changed_ = fchmod(directory, mode_ | 0300) == 0;
        }
    }
    Writable(const Writable&) = delete;
    Writable& operator=(const Writable&) = delete;
    ~Writable() {
        int error = errno;
        if (changed_) {
            (void)!fchmod(directory_, mode_);
        }
        errno = error;
    }

  private:
    int directory_;
    mode_t mode_ = 0;
    bool changed_ = false;
};

/// Opens a file of the caller's own whose mode forbids it.
Fd open_by_force(int directory, const std::string& name, mode_t mode) {
    Fd fd;
    if (fchmodat(directory, name.c_str(), mode | 0400, AT_SYMLINK_NOFOLLOW) == 0) {
        fd.reset(openat(directory, name.c_str(), kRead));
        (void)!fchmodat(directory, name.c_str(), mode, AT_SYMLINK_NOFOLLOW);
    }
    return fd;
}

void read_content(int directory, const std::string& name, const ReadOptions& options, Item& item) {
    Fd file(openat(directory, name.c_str(), kRead));
    if (!file.valid() && errno == EACCES && options.force) {
        file = open_by_force(directory, name, static_cast<mode_t>(item.mode));
    }
    auto content = file.valid() ? read_all(file.get(), options.limit) : Result<std::string>(Error{});
    item.whole = content.ok();
    if (content.ok()) {
        item.content = std::move(*content);
    }
}

class Lister : public TreeVisitor {
  public:
    void enter(std::string_view path, uint32_t) override { path_ = path; }
    void entry(std::string_view name, FileKind) override {
        paths.push_back(path_.empty() ? std::string(name) : path_ + "/" + std::string(name));
    }
    bool descend(std::string_view, uint32_t&) override { return true; }

    std::vector<std::string> paths;

  private:
    std::string path_;
};

bool set_time(int directory, const char* name, int64_t nanoseconds) {
    timespec times[2] = {{0, UTIME_OMIT}, {nanoseconds / 1000000000, nanoseconds % 1000000000}};
    return utimensat(directory, name, times, AT_SYMLINK_NOFOLLOW) == 0;
}

Result<void> put_directory(int parent, const std::string& relative, const Item& item) {
    std::string name = path_name(relative);
    struct stat status {};
    bool there = fstatat(parent, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
    if (there && !S_ISDIR(status.st_mode) && unlinkat(parent, name.c_str(), 0) != 0) {
        return failure(relative, "cannot be replaced");
    }
    if (mkdirat(parent, name.c_str(), 0700) != 0 && errno != EEXIST) {
        return failure(relative, "mkdir");
    }
    if (fchmodat(parent, name.c_str(), static_cast<mode_t>(item.mode), AT_SYMLINK_NOFOLLOW) != 0) {
        return failure(relative, "chmod");
    }
    return {};
}

Result<void> write_new(int parent, const std::string& name, const std::string& relative, const Item& item) {
    if (item.kind == Item::Kind::Link) {
        return symlinkat(item.content.c_str(), parent, name.c_str()) == 0 ? Result<void>()
                                                                          : failure(relative, "symlink");
    }
    Fd file(openat(parent, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file.valid()) {
        return failure(relative, "create");
    }
    auto written = write_all(file.get(), item.content);
    // On the disk before it takes the other's place: after a power failure one of both must be there.
    if (!written.ok() || fchmod(file.get(), static_cast<mode_t>(item.mode)) != 0 || fsync(file.get()) != 0) {
        return failure(relative, "write");
    }
    return {};
}

}  // namespace

// A run with a wider view may be swapping the folders on the way for links that lead out (the class of
// CVE-2026-87766).
Fd folder_of(const std::string& path) {
#ifdef O_PATH
    constexpr int kStep = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;  // search permission is enough
#else
    constexpr int kStep = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
#endif
    Fd at(open("/", kStep));
    for (const std::string& name : path_components(path_parent(path))) {
        if (at.valid()) {
            at = Fd(openat(at.get(), name.c_str(), kStep));
        }
    }
    return at;
}

Fd open_parent(int root, const std::string& relative, bool create) {
    Fd at(fcntl(root, F_DUPFD_CLOEXEC, 0));
    auto components = path_components(relative);
    for (size_t i = 0; i + 1 < components.size() && at.valid(); ++i) {
        const char* name = components[i].c_str();
        Fd next(openat(at.get(), name, kDirectory));
        if (!next.valid() && errno == ENOENT && create) {
            Writable writable(at.get());
            if (mkdirat(at.get(), name, 0755) == 0) {
                next.reset(openat(at.get(), name, kDirectory));
            }
        }
        at = std::move(next);
    }
    return at;
}

bool read_item(int directory, const std::string& name, const ReadOptions& options, Item& item) {
    struct stat status {};
    if (fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
        return false;
    }
    item = Item{};
    item.mode = status.st_mode & 07777;
    item.modified_ns = modified_ns(status);
    item.changed_ns = changed_ns(status);
    item.inode = status.st_ino;
    if (S_ISDIR(status.st_mode)) {
        item.kind = Item::Kind::Directory;
    } else if (S_ISLNK(status.st_mode)) {
        item.kind = Item::Kind::Link;
        std::string text(4096, '\0');
        ssize_t length = readlinkat(directory, name.c_str(), text.data(), text.size());
        item.content = text.substr(0, length > 0 ? static_cast<size_t>(length) : 0);
        item.whole = length >= 0;
    } else if (!S_ISREG(status.st_mode)) {
        item.kind = Item::Kind::Other;
        item.whole = false;
    } else if (options.known != nullptr && options.known->kind == Item::Kind::File &&
               options.known->untouched_since(item)) {
        item.content = options.known->content;
        item.whole = options.known->whole;
    } else {
        read_content(directory, name, options, item);
    }
    return true;
}

Result<void> put_item(int root, const std::string& relative, const Item& item) {
    Fd parent = open_parent(root, relative, true);
    if (!parent.valid()) {
        return failure(relative, "its folder cannot be opened");
    }
    Writable writable(parent.get());
    if (item.kind == Item::Kind::Directory) {
        return put_directory(parent.get(), relative, item);
    }
    std::string name = path_name(relative);
    // Always the same name: whoever restores after one that was killed here clears it away.
    std::string temporary = ".sbx-restore";
    unlinkat(parent.get(), temporary.c_str(), 0);
    auto written = write_new(parent.get(), temporary, relative, item);
    if (written.ok()) {
        set_time(parent.get(), temporary.c_str(), item.modified_ns);
        unlinkat(parent.get(), name.c_str(), AT_REMOVEDIR);  // makes room only if it is an empty directory
        if (renameat(parent.get(), temporary.c_str(), parent.get(), name.c_str()) != 0) {
            written = failure(relative, "rename");
        }
    }
    if (!written.ok()) {
        unlinkat(parent.get(), temporary.c_str(), 0);
    }
    return written;
}

Result<void> remove_entry(int root, const std::string& relative) {
    Fd parent = open_parent(root, relative, false);
    if (!parent.valid()) {
        return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? Result<void>()
                                                                     : failure(relative, "open");
    }
    Writable writable(parent.get());
    std::string name = path_name(relative);
    if (unlinkat(parent.get(), name.c_str(), 0) == 0 || errno == ENOENT) {
        return {};
    }
    if ((errno == EISDIR || errno == EPERM) && (unlinkat(parent.get(), name.c_str(), AT_REMOVEDIR) == 0 ||
                                                errno == ENOTEMPTY || errno == EEXIST || errno == ENOENT)) {
        return {};
    }
    return failure(relative, "cannot be removed");
}

Result<std::string> move_aside(int root, const std::string& relative) {
    Fd parent = open_parent(root, relative, false);
    if (!parent.valid()) {
        return failure(relative, "open");
    }
    Writable writable(parent.get());
    Writable writable_root(root);
    for (uint64_t number = 1;; ++number) {
        std::string name = "sbx-held-" + std::to_string(getpid()) + "-" + std::to_string(number);
        if (faccessat(root, name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
            continue;
        }
        if (renameat(parent.get(), path_name(relative).c_str(), root, name.c_str()) != 0) {
            return failure(relative, "rename");
        }
        return name;
    }
}

std::vector<std::string> paths_below(int directory) {
    Lister lister;
    TreeOptions options;
    options.threads = 1;
    walk_tree(directory, options, [&]() -> TreeVisitor& { return lister; });
    std::sort(lister.paths.begin(), lister.paths.end());
    return std::move(lister.paths);
}

}  // namespace sbx::hold
