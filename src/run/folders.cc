#include "run/folders.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "util/fd.h"
#include "util/text.h"

namespace sbx {
namespace {

#ifdef O_PATH
constexpr int kPassThrough = O_PATH;
#else
constexpr int kPassThrough = O_RDONLY;
#endif

Result<void> create_folder(const std::string& path) {
    Fd at(open("/", kPassThrough | O_DIRECTORY | O_CLOEXEC));
    std::string made;
    for (const std::string& component : path_components(path)) {
        made += "/" + component;
        bool exists = mkdirat(at.get(), component.c_str(), 0700) == 0 || errno == EEXIST;
        if (exists || errno == EROFS || errno == EACCES) {  // which come first, even where it exists
            at.reset(openat(at.get(), component.c_str(), kPassThrough | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        } else {
            at.reset();
        }
        if (!at.valid()) {
            return Error{"io", printable_line(made) + " cannot be made: " + std::strerror(errno), ""};
        }
    }
    return {};
}

/// A home that is kept belongs to the caller alone, or somebody else could plant things in it. What is
/// generated for it takes the place of whatever the command has put there, a link out of it included.
Result<void> prepare_kept_home(const Plan& plan, const Mount& home) {
    Fd at(open(home.source.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat status {};
    if (!at.valid() || fstat(at.get(), &status) != 0) {
        return Error{"io", printable_line(home.source) + ": " + std::strerror(errno), ""};
    }
    if (status.st_uid != geteuid() || (status.st_mode & 0077) != 0) {
        return Error{"not_trusted", printable_line(home.source) + " does not belong to you alone",
                     "remove it, or make it yours with mode 700"};
    }
    for (const Mount& file : plan.mounts) {
        if (file.kind != Mount::Kind::File || path_parent(file.destination) != home.destination) {
            continue;
        }
        // Other runs may be starting in the same home: each puts a whole file in place.
        std::string name = path_name(file.destination);
        std::string fresh = name + ".sbx-" + std::to_string(getpid());
        unlinkat(at.get(), fresh.c_str(), 0);
        Fd made(openat(at.get(), fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, file.mode));
        bool written = made.valid() && write_all(made.get(), file.data).ok();
        if (!written || renameat(at.get(), fresh.c_str(), at.get(), name.c_str()) != 0) {
            Error error{"io", printable_line(path_join(home.source, name)) + ": " + std::strerror(errno), ""};
            unlinkat(at.get(), fresh.c_str(), 0);
            return error;
        }
    }
    return {};
}

}  // namespace

Result<void> create_folders(const Plan& plan) {
    for (const std::string& folder : plan.create) {
        SBX_CHECK(create_folder(folder));
    }
    for (const Mount& mount : plan.mounts) {
        if (mount.kind == Mount::Kind::Kept) {
            SBX_CHECK(prepare_kept_home(plan, mount));
        }
    }
    return {};
}

}  // namespace sbx
