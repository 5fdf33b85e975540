#include "linux/run/kept_home.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "linux/run/mount_calls.h"
#include "util/fd.h"
#include "util/text.h"

namespace sbx {
namespace {

Error failure(const std::string& path) {
    return Error{"setup_failed", "the kept home: " + printable_line(path) + ": " + std::strerror(errno),
                 errno == ENOSYS ? "Linux 5.12 or newer is needed" : "see sbx doctor"};
}

class Home {
  public:
    explicit Home(const ProtectiveMount& mount) : mount_(mount) {}

    Result<void> put_below() {
        std::vector<Fd> trees;
        for (const auto& inner : mount_.inner) {
            Fd fd = open_without_links(AT_FDCWD, inner.path, O_PATH | O_NOFOLLOW);
            trees.push_back(fd.valid() && inner.link.empty() ? clone_mount(fd.get(), true) : Fd());
            if (!fd.valid() || (inner.link.empty() && !trees.back().valid())) {
                return failure(inner.path);
            }
        }
        Fd staged = open_without_links(AT_FDCWD, kStagedHome, O_PATH | O_DIRECTORY);
        Fd target = open_without_links(AT_FDCWD, mount_.path, O_PATH | O_DIRECTORY);
        Fd tree = staged.valid() ? clone_mount(staged.get(), false) : Fd();
        if (!target.valid() || !tree.valid() || !attach_mount(tree.get(), target.get())) {
            return failure(mount_.path);
        }
        for (size_t i = 0; i < trees.size(); ++i) {
            SBX_ASSIGN(Fd place, place_of(mount_.inner[i]));
            if (trees[i].valid() && !attach_mount(trees[i].get(), place.get())) {
                return failure(mount_.inner[i].path);
            }
        }
        // At its second place nothing would cover what is covered in the home.
        return umount2(kStagedHome, MNT_DETACH) == 0 ? Result<void>() : Result<void>(failure(kStagedHome));
    }

  private:
    /// What to mount `inner` on, made where it is missing. Of a link: the link, or whatever has its name.
    Result<Fd> place_of(const ProtectiveMount::Inner& inner) {
        Fd at = open_without_links(AT_FDCWD, mount_.path, O_PATH | O_DIRECTORY);
        std::vector<std::string> names = path_components(inner.path.substr(mount_.path.size()));
        std::string shown = mount_.source;
        for (size_t i = 0; at.valid() && i < names.size(); ++i) {
            shown = path_join(shown, names[i]);
            bool last = i + 1 == names.size();
            bool directory = !last || (inner.is_directory && inner.link.empty());
            make(at.get(), names[i], directory, last ? inner.link : "");
            at = Fd(openat(at.get(), names[i].c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
            struct stat status {};
            bool fits = at.valid() && fstat(at.get(), &status) == 0 &&
                        (last && !inner.link.empty() ? true
                         : directory                 ? S_ISDIR(status.st_mode)
                                                     : S_ISREG(status.st_mode));
            if (!fits) {
                return Error{"setup_failed",
                             "the kept home: " + printable_line(shown) + " is in the way of " +
                                 printable_line(inner.path),
                             "remove it, or use another home: --id NAME"};
            }
        }
        if (!at.valid()) {
            return failure(shown);
        }
        return at;
    }

    /// What fails here fails where it is opened.
    static void make(int directory, const std::string& name, bool is_directory, const std::string& link) {
        if (!link.empty()) {
            (void)!symlinkat(link.c_str(), directory, name.c_str());
        } else if (is_directory) {
            mkdirat(directory, name.c_str(), 0700);
        } else {
            Fd made(
                openat(directory, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
        }
    }

    const ProtectiveMount& mount_;
};

}  // namespace

Result<void> put_home_below(const ProtectiveMount& home) {
    return Home(home).put_below();
}

}  // namespace sbx
