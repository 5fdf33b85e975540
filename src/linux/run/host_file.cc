#include "linux/run/host_file.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "linux/run/mount_calls.h"
#include "util/git_harmless.h"
#include "util/text.h"

namespace sbx {
namespace {

constexpr off_t kLargest = 16 << 20;
constexpr int kNames = 1000;
constexpr unsigned kNoReplace = 1;   // RENAME_NOREPLACE

Error failure(const std::string& path, const char* what) {
    return Error{errno == ENOENT ? "gone" : "guard_lost",
                 printable_line(path) + " cannot be protected any more: " + what + ": " +
                                   std::strerror(errno), ""};
}

bool same_inode(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

/// Born after `moment`, so that nothing that was stopped by then can have opened it. The time of birth,
/// unlike the others, cannot be set by anybody.
bool born_after(int fd, const timespec& moment) {
    struct statx status {};
    if (statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &status) != 0 || (status.stx_mask & STATX_BTIME) == 0) {
        return false;
    }
    return status.stx_btime.tv_sec > moment.tv_sec ||
           (status.stx_btime.tv_sec == moment.tv_sec &&
            status.stx_btime.tv_nsec > static_cast<uint32_t>(moment.tv_nsec));
}

std::string random_name() {
    unsigned value = 0;
    (void)!getrandom(&value, sizeof value, 0);
    char text[32];
    std::snprintf(text, sizeof text, ".sbx-%08x", value);
    return text;
}

bool is_git_configuration(const std::string& name) { return name == "config" || name == "config.worktree"; }

}  // namespace

Result<HostFile> HostFile::open(const std::string& path, bool may_be_gone) {
    HostFile file;
    file.path_ = path;
    file.name_ = path_name(path);
    file.may_be_gone_ = may_be_gone;
    Fd root(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    file.directory_ = open_without_links(root.get(), path_parent(path), O_RDONLY | O_DIRECTORY);
    if (!file.directory_.valid()) {
        return failure(path, "its directory");
    }
    SBX_CHECK(file.remember());
    return file;
}

Result<void> HostFile::remember() {
    file_ = open_without_links(directory_.get(), name_, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (!file_.valid()) {
        file_ = open_without_links(directory_.get(), name_, O_PATH | O_NOFOLLOW);
    }
    if (!file_.valid() || fstat(file_.get(), &status_) != 0) {
        return failure(path_, "opening it");
    }
    content_.clear();
    if (S_ISREG(status_.st_mode)) {
        SBX_ASSIGN(content_, bytes(file_.get()));
    } else if (S_ISLNK(status_.st_mode)) {
        char text[PATH_MAX];
        ssize_t length = readlinkat(file_.get(), "", text, sizeof text);
        content_.assign(text, length > 0 ? static_cast<size_t>(length) : 0);
    }
    return {};
}

Result<std::string> HostFile::bytes(int fd) const {
    struct stat status {};
    if (fstat(fd, &status) != 0 || status.st_size > kLargest) {
        return failure(path_, "it is too large");
    }
    std::string out(static_cast<size_t>(status.st_size), '\0');
    size_t size = 0;
    while (size < out.size()) {
        ssize_t count = pread(fd, out.data() + size, out.size() - size, static_cast<off_t>(size));
        if (count < 0 && errno != EINTR) {
            return failure(path_, "reading it");
        }
        if (count == 0) {
            break;
        }
        size += count > 0 ? static_cast<size_t>(count) : 0;
    }
    out.resize(size);
    return out;
}

bool HostFile::unchanged() const {
    struct stat now {};
    if (fstatat(directory_.get(), name_.c_str(), &now, AT_SYMLINK_NOFOLLOW) != 0) {
        return may_be_gone_ && errno == ENOENT;
    }
    return same_inode(now, status_);
}

bool HostFile::acceptable(const std::string& now) const {
    return now == content_ || (is_git_configuration(name_) && only_harmless_changes(content_, now));
}

Result<void> HostFile::write_fresh(const std::string& content, const struct stat& like) {
    std::string temporary = random_name();
    Fd fd(openat(directory_.get(), temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!fd.valid()) {
        return failure(path_, "writing it");
    }
    const timespec times[2] = {like.st_atim, like.st_mtim};
    auto written = write_all(fd.get(), content);
    bool ready = written.ok() && fchmod(fd.get(), like.st_mode & 07777) == 0 && futimens(fd.get(), times) == 0 &&
                 renameat(directory_.get(), temporary.c_str(), directory_.get(), name_.c_str()) == 0;
    if (!ready) {
        Error error = failure(path_, "writing it");
        unlinkat(directory_.get(), temporary.c_str(), 0);
        return error;
    }
    return {};
}

Result<std::string> HostFile::set_aside() {
    for (int i = 1; i < kNames; ++i) {
        std::string other = name_ + ".sbx-kept-" + std::to_string(i);
        if (syscall(SYS_renameat2, directory_.get(), name_.c_str(), directory_.get(), other.c_str(), kNoReplace) ==
            0) {
            return path_join(path_parent(path_), other);
        }
        if (errno == ENOENT) {
            return std::string();  // nothing is there
        }
        if (errno != EEXIST) {
            break;
        }
    }
    return failure(path_, "setting the new version aside");
}

Result<void> HostFile::make_again() {
    if (S_ISREG(status_.st_mode)) {
        return write_fresh(content_, status_);
    }
    bool made = S_ISDIR(status_.st_mode)
                    ? mkdirat(directory_.get(), name_.c_str(), status_.st_mode & 07777) == 0
                    : S_ISLNK(status_.st_mode) && symlinkat(content_.c_str(), directory_.get(), name_.c_str()) == 0;
    return made ? Result<void>() : Result<void>(failure(path_, "making it again"));
}

Result<std::string> HostFile::put_right(const timespec& stopped_at) {
    if (unchanged()) {
        return std::string();
    }
    std::string shown = printable_line(path_);
    // Other runs in the same worktree have the same guard and the same thought.
    flock(directory_.get(), LOCK_EX);
    Fd now = open_without_links(directory_.get(), name_, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    struct stat status {};
    bool regular = now.valid() && fstat(now.get(), &status) == 0 && S_ISREG(status.st_mode);
    std::string note;
    Result<void> done;
    std::string content;
    if (regular) {
        auto read = bytes(now.get());
        regular = read.ok();
        content = read.ok() ? *read : "";
    }
    if (S_ISREG(status_.st_mode) && regular && acceptable(content)) {
        if (!born_after(now.get(), stopped_at)) {
            done = write_fresh(content, status);
        }
        note = content == content_ ? "" : shown + " was changed on the host: the change is kept, the file protected again";
    } else {
        auto aside = set_aside();
        if (!aside.ok()) {
            done = aside.error();
        } else {
            done = make_again();
        }
        if (done.ok()) {
            note = shown + " was replaced during the run, where the command could have had a hand in it: " +
                   (aside->empty() ? "it is as before again"
                                   : "it is as before again, the new version is " + printable_line(*aside));
        }
    }
    if (done.ok()) {
        done = remember();
    }
    flock(directory_.get(), LOCK_UN);
    SBX_CHECK(done);
    return note;
}

}  // namespace sbx
