#include "linux/inner/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "linux/inner/kernel.h"

namespace sbx::inner {
namespace {

constexpr uint64_t kExecute = 1 << 0;
constexpr uint64_t kWriteFile = 1 << 1;
constexpr uint64_t kReadFile = 1 << 2;
constexpr uint64_t kTruncate = 1 << 14;
constexpr uint64_t kIoctlDevice = 1 << 15;

bool kept(const BlockView& block, int fd) {
    for (uint32_t i = 0; i < block.header->keep_count; ++i) {
        if (block.keep[i] == fd) {
            return true;
        }
    }
    return false;
}

/// Grants what the open descriptor `fd` can already do. Pipes, sockets and anonymous files have no path
/// that Landlock judges: EBADFD or EINVAL, and nothing to add.
bool allow_descriptor(int ruleset, int fd, uint64_t handled) {
    struct stat status;
    int mode = fcntl(fd, F_GETFL);
    if (mode < 0 || fstat(fd, &status) != 0) {
        return true;
    }
    if (!S_ISREG(status.st_mode) && !S_ISCHR(status.st_mode) && !S_ISFIFO(status.st_mode)) {
        return true;
    }
    uint64_t access = S_ISCHR(status.st_mode) ? kIoctlDevice : 0;
    if ((mode & O_ACCMODE) != O_WRONLY) {
        access |= kReadFile;
    }
    if ((mode & O_ACCMODE) != O_RDONLY) {
        access |= kWriteFile | kTruncate;
    }
    long added = landlock_add_path_rule(ruleset, fd, access & handled);
    return added == 0 || added == -EBADFD || added == -EINVAL;
}

}  // namespace

Failure verify_privileges() {
    errno = EPERM;
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) {
        return "no_new_privs is not set inside the sandbox";
    }
    if (!no_capabilities()) {
        errno = EPERM;
        return "the sandbox still holds capabilities";
    }
    return nullptr;
}

Failure arrange_descriptors(const BlockView& block, int socket) {
    for (int fd = 0; fd < 3; ++fd) {
        int source = block.header->stdio[fd];
        if (source < 0) {
            close(fd);
        } else if (dup2(source, fd) < 0) {
            return "dup2";
        }
    }
    // Everything that is not named goes, wherever bwrap or its libraries may have opened it.
    unsigned first = 3;
    for (;;) {
        int next = -1;
        for (uint32_t i = 0; i <= block.header->keep_count; ++i) {
            int fd = i < block.header->keep_count ? block.keep[i] : socket;
            if (fd >= static_cast<int>(first) && (next < 0 || fd < next)) {
                next = fd;
            }
        }
        unsigned last = next < 0 ? ~0U : static_cast<unsigned>(next) - 1;
        if (last >= first && close_range(first, last) != 0) {
            return "close_range";
        }
        if (next < 0) {
            break;
        }
        first = static_cast<unsigned>(next) + 1;
    }
    if (!kept(block, socket)) {
        fcntl(socket, F_SETFD, FD_CLOEXEC);
    }
    return nullptr;
}

Failure restrict_files(const BlockView& block) {
    const wire::BlockHeader& header = *block.header;
    if ((header.flags & (wire::kLandlock | wire::kScopeSignals)) == 0) {
        return nullptr;
    }
    LandlockRuleset ruleset{};
    ruleset.handled_access_fs = (header.flags & wire::kLandlock) != 0 ? header.landlock_handled : 0;
    size_t size = sizeof(uint64_t);
    if ((header.flags & wire::kScopeSignals) != 0) {
        ruleset.scoped = kLandlockScopeSignal | kLandlockScopeAbstractUnixSocket;
        size = sizeof ruleset;
    }
    long rules = landlock_create_ruleset(ruleset, size);
    if (rules < 0) {
        errno = static_cast<int>(-rules);
        return "Landlock ruleset";
    }
    int fd = static_cast<int>(rules);
    const char* path = block.rule_paths;
    for (uint32_t i = 0; i < header.rule_count; ++i, path += strlen(path) + 1) {
        int target = open(path, O_PATH | O_CLOEXEC);
        if (target < 0 && block.rules[i].optional != 0) {
            continue;
        }
        if (target < 0) {
            return path;
        }
        uint64_t access = block.rules[i].access & header.landlock_handled;
        struct stat status;
        if (fstat(target, &status) == 0 && !S_ISDIR(status.st_mode)) {
            // A rule on a file that names directory rights is refused as a whole.
            access &= kExecute | kWriteFile | kReadFile | kTruncate | kIoctlDevice;
        }
        long added = landlock_add_path_rule(fd, target, access);
        close(target);
        if (added != 0) {
            errno = static_cast<int>(-added);
            return path;
        }
    }
    if (ruleset.handled_access_fs != 0) {
        for (int standard = 0; standard < 3; ++standard) {
            if (!allow_descriptor(fd, standard, header.landlock_handled)) {
                return "Landlock rule for a standard stream";
            }
        }
        for (uint32_t i = 0; i < header.keep_count; ++i) {
            if (!allow_descriptor(fd, block.keep[i], header.landlock_handled)) {
                return "Landlock rule for a kept descriptor";
            }
        }
    }
    long restricted = landlock_restrict_self(fd);
    close(fd);
    if (restricted != 0) {
        errno = static_cast<int>(-restricted);
        return "Landlock";
    }
    return nullptr;
}

Failure restrict_system_calls(const BlockView& block) {
    for (int i = 0; i < 2; ++i) {
        unsigned count = block.header->filter_counts[i];
        if (count == 0) {
            continue;
        }
        long installed = seccomp_set_filter(block.filters[i], count);
        if (installed != 0) {
            errno = static_cast<int>(-installed);
            return "seccomp filter";
        }
    }
    return nullptr;
}

}  // namespace sbx::inner
