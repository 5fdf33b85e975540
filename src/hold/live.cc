#include "hold/live.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "hold/encoding.h"
#include "hold/record.h"
#include "hold/stat_times.h"
#include "util/text.h"

namespace sbx::hold {
namespace {

Error failure(const std::string& path, const char* what) {
    return Error{"io", printable_line(path) + ": " + what + ": " + std::strerror(errno), room_hint(errno, path)};
}

bool lock(int fd, int operation) {
    int result;
    do {
        result = flock(fd, operation);
    } while (result != 0 && errno == EINTR);
    return result == 0;
}

/// A umask that takes the owner's rights would leave a directory and a lock that no later run can open.
class OwnersUmask {
public:
    OwnersUmask() : before_(umask(077)) {}
    ~OwnersUmask() { umask(before_); }
    OwnersUmask(const OwnersUmask&) = delete;
    OwnersUmask& operator=(const OwnersUmask&) = delete;

private:
    mode_t before_;
};

}  // namespace

Result<void> make_live_directory(const std::string& directory) {
    OwnersUmask scope;
    struct stat status {};
    if (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) {
        return failure(directory, "mkdir");
    }
    if (lstat(directory.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != geteuid() ||
        (status.st_mode & 022) != 0) {
        return Error{"io", printable_line(directory) + " belongs to somebody else, or others can write to it",
                     "remove it: sbx keeps there what it must restore"};
    }
    return {};
}

// The directory is removed when nobody needs it, so the file that was locked may be gone: then another one
// is locked.
Result<Fd> take_turn(const std::string& directory) {
    std::string path = path_join(directory, "turn");
    OwnersUmask scope;
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
        if (fstat(fd.get(), &locked) == 0 && stat(path.c_str(), &named) == 0 &&
            locked.st_ino == named.st_ino) {
            return fd;
        }
    }
    errno = EBUSY;
    return failure(path, "lock");
}

Result<Fd> open_live_file(const std::string& directory, const std::string& name) {
    std::string path = path_join(directory, name);
    OwnersUmask scope;
    Fd fd(open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!fd.valid()) {
        return failure(path, "open");
    }
    return fd;
}

bool others_live(const Fd& file) {
    return !lock(file.get(), LOCK_EX | LOCK_NB);
}

Result<void> take_share(const Fd& file) {
    if (!lock(file.get(), LOCK_SH)) {
        return failure("the file of live runs", "lock");
    }
    return {};
}

void end_share(Fd& file) {
    flock(file.get(), LOCK_UN);
    file.reset();
}

Result<void> write_live_file(const Fd& file, const std::string& bytes, const std::string& path) {
    if (ftruncate(file.get(), 0) != 0 || lseek(file.get(), 0, SEEK_SET) != 0) {
        return failure(path, "truncate");
    }
    return write_all(file.get(), bytes, path);
}

std::vector<std::string> live_files(const std::string& directory, const char* prefix) {
    std::vector<std::string> names;
    std::unique_ptr<DIR, int (*)(DIR*)> stream(opendir(directory.c_str()), closedir);
    while (dirent* entry = stream ? readdir(stream.get()) : nullptr) {
        std::string name = entry->d_name;
        if (name.rfind(prefix, 0) == 0 && name != "." && name != "..") {
            names.push_back(std::move(name));
        }
    }
    return names;
}

/// True for the file of runs that are over, in a directory that does not exist any more: nothing will ever
/// be restored from it, and another directory may get its inode number.
static bool is_stale(const std::string& directory, const std::string& name) {
    Fd file(open(path_join(directory, name).c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
    if (!file.valid() || others_live(file)) {
        return false;
    }
    char bytes[8192];
    ssize_t size = pread(file.get(), bytes, sizeof bytes, 0);
    std::string_view rest(bytes, size > 0 ? static_cast<size_t>(size) : 0);
    if (name.rfind("git-", 0) == 0) {
        std::string path;
        return !decode_text(rest, path) || live_name("git-", path_parent(path)) != name;
    }
    Place place;
    return !decode_place(rest, place) || !place.is_there();
}

void tidy(const std::string& directory) {
    bool needed = false;
    for (const std::string& name : live_files(directory, "")) {
        if (name == "turn") {
            continue;
        }
        if (is_stale(directory, name)) {
            unlink(path_join(directory, name).c_str());
        } else {
            needed = true;
        }
    }
    if (!needed) {
        unlink(path_join(directory, "turn").c_str());
        rmdir(directory.c_str());
    }
}

std::string live_name(const char* prefix, const std::string& path) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) {
        return "";
    }
    return prefix + std::to_string(status.st_dev) + "-" + std::to_string(status.st_ino) + "-" +
           std::to_string(born_ns(path));
}

std::string lasting_name(const std::string& path) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) {
        return "";
    }
    return std::to_string(status.st_ino) + "-" + std::to_string(born_ns(path));
}

}  // namespace sbx::hold
