#include "host/directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/param.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <string_view>

namespace sbx {
namespace {

constexpr size_t kLongestStep = 700;  // of a path that one call takes; the kernel's limit is 1024

Fd open_step(int directory, const std::string& relative) {
    // Refuses a link in any component.
    return Fd(openat(directory, relative.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW_ANY | O_CLOEXEC));
}

FileKind kind_of_entry(const dirent& entry, int directory) {
    switch (entry.d_type) {
        case DT_REG: return FileKind::File;
        case DT_DIR: return FileKind::Directory;
        case DT_LNK: return FileKind::Symlink;
        case DT_UNKNOWN: break;
        default: return FileKind::Other;
    }
    struct stat status {};
    if (fstatat(directory, entry.d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        return FileKind::Other;
    }
    return S_ISREG(status.st_mode)   ? FileKind::File
           : S_ISDIR(status.st_mode) ? FileKind::Directory
           : S_ISLNK(status.st_mode) ? FileKind::Symlink
                                     : FileKind::Other;
}

}  // namespace

struct DirectoryReader::State {
    DIR* stream = nullptr;
    int descriptor = -1;

    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() { close(); }

    void close() {
        if (stream != nullptr) {
            closedir(stream);
        }
        stream = nullptr;
        descriptor = -1;
    }
};

DirectoryReader::DirectoryReader() : state_(new State) {}
DirectoryReader::~DirectoryReader() = default;

void DirectoryReader::start(Fd directory) {
    state_->close();
    error_ = 0;
    state_->stream = fdopendir(directory.get());
    if (state_->stream == nullptr) {
        error_ = errno;
        return;
    }
    state_->descriptor = directory.release();
}

int DirectoryReader::descriptor() const { return state_->descriptor; }

bool DirectoryReader::next(DirectoryEntry& entry) {
    if (state_->stream == nullptr) {
        return false;
    }
    for (;;) {
        errno = 0;
        const dirent* found = readdir(state_->stream);
        if (found == nullptr) {
            error_ = errno == ENOENT ? 0 : errno;
            return false;
        }
        std::string_view name(found->d_name);
        if (name != "." && name != "..") {
            entry.name = name;
            entry.kind = kind_of_entry(*found, state_->descriptor);
            return true;
        }
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
    return fstatfs(directory, &about) == 0 && std::strcmp(about.f_fstypename, "devfs") == 0;
}

}  // namespace sbx
