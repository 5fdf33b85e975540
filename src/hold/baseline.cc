#include "hold/baseline.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "hold/encoding.h"
#include "util/text.h"

namespace sbx::hold {
namespace {

constexpr size_t kLargest = size_t{2} << 30;

Error failure(const std::string& path, const char* what) {
    return Error{"io", printable_line(path) + ": " + what + ": " + std::strerror(errno), ""};
}

bool lock(int fd, int operation) {
    int result;
    do {
        result = flock(fd, operation);
    } while (result != 0 && errno == EINTR);
    return result == 0;
}

/// The lock that join() and leave() take turns with. The directory is removed when nobody needs it, so
/// the file that was locked may be gone: then another one is.
Result<Fd> take_turn(const std::string& directory) {
    std::string path = path_join(directory, "turn");
    for (int attempt = 0; attempt < 1000; ++attempt) {
        mkdir(directory.c_str(), 0700);
        Fd fd(open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
        if (!fd.valid()) {
            if (errno == ENOENT) {
                continue;
            }
            return failure(path, "open");
        }
        struct stat locked {};
        struct stat named {};
        if (!lock(fd.get(), LOCK_EX)) {
            return failure(path, "lock");
        }
        if (fstat(fd.get(), &locked) == 0 && stat(path.c_str(), &named) == 0 && locked.st_ino == named.st_ino) {
            return fd;
        }
    }
    errno = EBUSY;
    return failure(path, "lock");
}

void tidy(const std::string& directory) {
    // Only an otherwise empty directory goes, and whoever waits for the lock notices.
    std::string turn = path_join(directory, "turn");
    if (unlink(turn.c_str()) == 0 && rmdir(directory.c_str()) != 0) {
        return;
    }
}

bool others_live(int share) { return !lock(share, LOCK_EX | LOCK_NB); }

}  // namespace

Result<std::string> live_directory(const std::string& runtime) {
    struct stat status {};
    std::string directory;
    if (!runtime.empty() && stat(runtime.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
        status.st_uid == geteuid() && (status.st_mode & 022) == 0) {
        directory = path_join(runtime, "sbx");
    } else {
        directory = "/tmp/sbx-" + std::to_string(geteuid());
    }
    if (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) {
        return failure(directory, "mkdir");
    }
    if (lstat(directory.c_str(), &status) == 0 &&
        (!S_ISDIR(status.st_mode) || status.st_uid != geteuid() || (status.st_mode & 077) != 0)) {
        return Error{"io", printable_line(directory) + " belongs to somebody else or is open to others",
                     "remove it, or set XDG_RUNTIME_DIR"};
    }
    return directory;
}

Result<Baseline> Baseline::join(const std::string& directory, const std::string& root, const Take& take,
                                const Recover& recover) {
    struct stat status {};
    if (stat(root.c_str(), &status) != 0) {
        return failure(root, "stat");
    }
    SBX_ASSIGN(Fd turn, take_turn(directory));
    Baseline baseline;
    baseline.directory_ = directory;
    baseline.name_ = path_join(directory, std::to_string(status.st_dev) + "-" + std::to_string(status.st_ino));
    baseline.share_.reset(open(baseline.name_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    int share = baseline.share_.get();
    if (share < 0) {
        return failure(baseline.name_, "open");
    }
    bool joining = others_live(share);
    SBX_ASSIGN(std::string bytes, read_all(share, kLargest));
    std::string_view rest = bytes;
    bool known = !bytes.empty() && decode(rest, baseline.snapshot_);
    if (joining && !known) {
        return Error{"io", printable_line(baseline.name_) + " is damaged", "wait until the other runs have ended"};
    }
    if (!joining) {
        if (known) {
            SBX_CHECK(recover(baseline.snapshot_));
        }
        SBX_ASSIGN(baseline.snapshot_, take());
        if (ftruncate(share, 0) != 0 || lseek(share, 0, SEEK_SET) != 0) {
            return failure(baseline.name_, "truncate");
        }
        SBX_CHECK(write_all(share, encode(baseline.snapshot_)));
    }
    if (!lock(share, LOCK_SH)) {
        return failure(baseline.name_, "lock");
    }
    return baseline;
}

Result<void> Baseline::leave(const std::function<Result<void>()>& restore) {
    SBX_ASSIGN(Fd turn, take_turn(directory_));
    auto restored = restore();
    bool last = !others_live(share_.get());
    if (last && restored.ok()) {
        unlink(name_.c_str());
    }
    share_.reset();
    if (last && restored.ok()) {
        tidy(directory_);
    }
    return restored;
}

}  // namespace sbx::hold
