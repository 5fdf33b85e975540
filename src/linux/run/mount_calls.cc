#include "linux/run/mount_calls.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace sbx {
namespace {

constexpr unsigned kRecursive = 0x8000;           // AT_RECURSIVE
constexpr uint64_t kStatxMountRoot = 0x2000;      // STATX_ATTR_MOUNT_ROOT, Linux 5.8

Fd owned(long number) { return Fd(number < 0 ? -1 : static_cast<int>(number)); }

/// "/a/b" -> "a/b", "/" -> ".": relative to the descriptor that it is opened from.
const char* relative(const std::string& path) {
    size_t start = path.find_first_not_of('/');
    return start == std::string::npos ? "." : path.c_str() + start;
}

}  // namespace

Fd open_without_links(int directory, const std::string& path, int flags) {
    open_how how{};
    how.flags = static_cast<uint64_t>(flags) | O_CLOEXEC;
    how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    return owned(syscall(SYS_openat2, directory, relative(path), &how, sizeof how));
}

bool is_mount(int directory, const std::string& path, struct stat& status) {
    Fd fd = open_without_links(directory, path, O_PATH | O_NOFOLLOW);
    if (!fd.valid() || fstat(fd.get(), &status) != 0) {
        return false;
    }
    struct statx more {};
    if (statx(fd.get(), "", AT_EMPTY_PATH, STATX_TYPE, &more) != 0) {
        return false;
    }
    errno = 0;
    return (more.stx_attributes & kStatxMountRoot) != 0;
}

Fd clone_mount(int fd, bool with_submounts) {
    unsigned flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | (with_submounts ? kRecursive : 0);
    return owned(syscall(SYS_open_tree, fd, "", flags));
}

bool change_mount(int tree, uint64_t set, uint64_t clear, bool with_submounts) {
    mount_attr attributes{};
    attributes.attr_set = set;
    attributes.attr_clr = clear;
    unsigned flags = AT_EMPTY_PATH | (with_submounts ? kRecursive : 0);
    return syscall(SYS_mount_setattr, tree, "", flags, &attributes, sizeof attributes) == 0;
}

bool attach_mount(int tree, int target) {
    return syscall(SYS_move_mount, tree, "", target, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) == 0;
}

Fd empty_directory_mount(const char* mode) {
    Fd context = owned(syscall(SYS_fsopen, "tmpfs", FSOPEN_CLOEXEC));
    if (!context.valid() || syscall(SYS_fsconfig, context.get(), FSCONFIG_SET_STRING, "mode", mode, 0) != 0 ||
        syscall(SYS_fsconfig, context.get(), FSCONFIG_SET_STRING, "size", "4k", 0) != 0 ||
        syscall(SYS_fsconfig, context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) {
        return Fd();
    }
    return owned(syscall(SYS_fsmount, context.get(), FSMOUNT_CLOEXEC, 0));
}

}  // namespace sbx
