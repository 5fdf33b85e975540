#include "host/directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>

namespace sbx {
namespace {

constexpr size_t kBufferSize = size_t{64} << 10;
constexpr size_t kLongestStep = 3000;  // of a path that one call takes; the kernel's limit is 4096
constexpr long kKernelFilesystems[] = {PROC_SUPER_MAGIC, SYSFS_MAGIC,   CGROUP2_SUPER_MAGIC, CGROUP_SUPER_MAGIC,
                                       DEBUGFS_MAGIC,    TRACEFS_MAGIC, SECURITYFS_MAGIC,    BPF_FS_MAGIC};

// The head of the kernel's linux_dirent64; the name follows d_type.
constexpr size_t kLengthOffset = 16;
constexpr size_t kTypeOffset = 18;
constexpr size_t kNameOffset = 19;

Fd open_step(int directory, const std::string& relative) {
    open_how how{};
    how.flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    for (int attempts = 0;; ++attempts) {
        long fd = syscall(SYS_openat2, directory, relative.c_str(), &how, sizeof how);
        // EAGAIN: something was renamed in this very moment.
        if (fd >= 0 || (errno != EAGAIN && errno != EINTR) || attempts > 100) {
            return Fd(static_cast<int>(fd));
        }
    }
}

FileKind kind_of_mode(mode_t mode) {
    return S_ISREG(mode) ? FileKind::File : S_ISDIR(mode) ? FileKind::Directory
           : S_ISLNK(mode) ? FileKind::Symlink
                           : FileKind::Other;
}

FileKind kind_of_type(unsigned char type, int directory, const char* name) {
    switch (type) {
        case DT_REG: return FileKind::File;
        case DT_DIR: return FileKind::Directory;
        case DT_LNK: return FileKind::Symlink;
        case DT_UNKNOWN: break;
        default: return FileKind::Other;
    }
    struct stat status {};
    bool known = fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
    return known ? kind_of_mode(status.st_mode) : FileKind::Other;
}

bool is_dot(const char* name) { return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0')); }

}  // namespace

struct DirectoryReader::State {
    Fd directory;
    size_t at = 0;
    size_t end = 0;
    alignas(8) std::array<char, kBufferSize> buffer;
};

DirectoryReader::DirectoryReader() : state_(new State) {}
DirectoryReader::~DirectoryReader() = default;

void DirectoryReader::start(Fd directory) {
    state_->directory = std::move(directory);
    state_->at = state_->end = 0;
    error_ = 0;
}

int DirectoryReader::descriptor() const { return state_->directory.get(); }

bool DirectoryReader::next(DirectoryEntry& entry) {
    State& state = *state_;
    for (;;) {
        if (state.at >= state.end) {
            long got = syscall(SYS_getdents64, state.directory.get(), state.buffer.data(), kBufferSize);
            if (got <= 0) {
                // A directory that was removed while it was read has no further entries.
                error_ = got < 0 && errno != ENOENT ? errno : 0;
                return false;
            }
            state.at = 0;
            state.end = static_cast<size_t>(got);
        }
        const char* record = state.buffer.data() + state.at;
        uint16_t length = 0;
        std::memcpy(&length, record + kLengthOffset, sizeof length);
        state.at += length;
        const char* name = record + kNameOffset;
        if (is_dot(name)) {
            continue;
        }
        entry.name = name;
        entry.kind = kind_of_type(static_cast<unsigned char>(record[kTypeOffset]), state.directory.get(), name);
        return true;
    }
}

Fd open_directory_below(int root, const std::string& relative) {
    if (relative.size() <= kLongestStep) {
        return open_step(root, relative.empty() ? "." : relative);
    }
    Fd at;
    for (size_t from = 0; from < relative.size();) {
        size_t to = relative.size();
        if (to - from > kLongestStep) {
            to = relative.rfind('/', from + kLongestStep);
        }
        at = open_step(at.valid() ? at.get() : root, relative.substr(from, to - from));
        if (!at.valid()) {
            return at;
        }
        from = to + 1;
    }
    return at;
}

bool is_kernel_filesystem(int directory) {
    struct statfs about {};
    return fstatfs(directory, &about) == 0 &&
           std::find(std::begin(kKernelFilesystems), std::end(kKernelFilesystems), static_cast<long>(about.f_type)) !=
               std::end(kKernelFilesystems);
}

}  // namespace sbx
