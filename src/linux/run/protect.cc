#include "linux/run/protect.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "linux/run/kept_home.h"
#include "linux/run/mount_calls.h"
#include "util/fd.h"
#include "util/text.h"

namespace sbx {
namespace {

using Kind = ProtectiveMount::Kind;

constexpr uint64_t kMaskAttributes = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC;

Error failure(const std::string& path, const std::string& reason, const char* hint) {
    return Error{"setup_failed", "protecting " + printable_line(path) + ": " + reason, hint};
}

Error changed_meanwhile(const std::string& path) {
    return Error{"changed_meanwhile", "protecting " + printable_line(path) + ": it was replaced in this very moment",
                 "try again"};
}

bool of_expected_type(const ProtectiveMount& mount, mode_t mode) {
    if (mount.kind == Kind::Link) {
        return S_ISLNK(mode);
    }
    if (mount.kind == Kind::MaskFile) {
        return !S_ISDIR(mode);  // a link can be covered like a file, and then leads nowhere
    }
    return !S_ISLNK(mode) && S_ISDIR(mode) == mount.is_directory;
}

class Maker {
  public:
    Result<void> make(const ProtectiveMount& mount) {
        Fd target = open_without_links(AT_FDCWD, mount.path, O_PATH | O_NOFOLLOW);
        if (!target.valid()) {
            if (mount.may_be_gone && (errno == ENOENT || errno == ENOTDIR)) {
                return {};
            }
            if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP) {
                return changed_meanwhile(mount.path);
            }
            return failure(mount.path, std::strerror(errno),
                           errno == EACCES ? "run sbx as the owner of these files" : "see sbx doctor");
        }
        struct stat status {};
        if (fstat(target.get(), &status) != 0 || !of_expected_type(mount, status.st_mode)) {
            return changed_meanwhile(mount.path);
        }
        Fd tree = detached(mount, target.get());
        if (!tree.valid() || !attach_mount(tree.get(), target.get())) {
            if (errno == ENOENT) {  // removed after it was opened
                return mount.may_be_gone ? Result<void>() : Result<void>(changed_meanwhile(mount.path));
            }
            return failure(mount.path, std::strerror(errno),
                           errno == ENOSYS ? "Linux 5.12 or newer is needed" : "see sbx doctor");
        }
        keep_as_model(mount.kind, std::move(tree));
        return {};
    }

  private:
    Fd detached(const ProtectiveMount& mount, int target) {
        switch (mount.kind) {
            case Kind::Pin: return clone_mount(target, true);
            case Kind::Link: return clone_mount(target, false);
            case Kind::ReadOnly: return changed(clone_mount(target, true), MOUNT_ATTR_RDONLY, 0, true);
            case Kind::Writable: return changed(clone_mount(target, true), 0, MOUNT_ATTR_RDONLY, false);
            case Kind::MaskFile: {
                if (file_model_.valid()) {
                    return clone_mount(file_model_.get(), false);
                }
                // A device on a mount without devices: opening it fails, for root too.
                Fd null = open_without_links(AT_FDCWD, "/dev/null", O_PATH);
                return null.valid() ? changed(clone_mount(null.get(), false), kMaskAttributes, 0, false) : Fd();
            }
            case Kind::KeptHome: break;  // see kept_home.h
            case Kind::MaskDirectory:
                if (directory_model_.valid()) {
                    return clone_mount(directory_model_.get(), false);
                }
                return changed(empty_directory_mount("0000"), kMaskAttributes, 0, false);
        }
        return Fd();
    }

    static Fd changed(Fd tree, uint64_t set, uint64_t clear, bool with_submounts) {
        if (tree.valid() && !change_mount(tree.get(), set, clear, with_submounts)) {
            return Fd();
        }
        return tree;
    }

    /// Thousands of masks are alike: each further one is a plain copy of the first.
    void keep_as_model(Kind kind, Fd tree) {
        if (kind == Kind::MaskFile && !file_model_.valid()) {
            file_model_ = std::move(tree);
        } else if (kind == Kind::MaskDirectory && !directory_model_.valid()) {
            directory_model_ = std::move(tree);
        }
    }

    Fd file_model_;
    Fd directory_model_;
};

}  // namespace

Result<void> make_protective(const std::vector<ProtectiveMount>& mounts,
                             const std::function<bool(size_t index)>& wanted) {
    Maker maker;
    for (size_t i = 0; i < mounts.size(); ++i) {
        if (wanted(i)) {
            SBX_CHECK(mounts[i].kind == Kind::KeptHome ? put_home_below(mounts[i]) : maker.make(mounts[i]));
        }
    }
    return {};
}

Protection look_at_protection(const ProtectiveMount& mount) {
    struct stat status {};
    if (is_mount(AT_FDCWD, mount.path, status)) {
        return Protection::Intact;
    }
    return errno == ENOENT || errno == ENOTDIR ? Protection::Gone : Protection::Exposed;
}

}  // namespace sbx
