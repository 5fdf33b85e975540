#include "macos/run/private_places.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <memory>
#include <vector>

#include "util/text.h"

namespace sbx {
namespace {

constexpr std::string_view kRunPrefix = "run-";

Error failure(const std::string& path) {
    return Error{"io", printable_line(path) + ": " + std::strerror(errno), ""};
}

/// Missing directories down to `path`, mode 700. An existing one is taken as it is.
Result<void> make_directories(const std::string& path) {
    if (path == "/" || mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) {
        return {};
    }
    if (errno != ENOENT) {
        return failure(path);
    }
    SBX_CHECK(make_directories(path_parent(path)));
    if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
        return failure(path);
    }
    return {};
}

Result<void> write_new_file(const std::string& path, const std::string& data, mode_t mode) {
    Fd fd(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (!fd.valid()) {
        return failure(path);
    }
    return write_all(fd.get(), data);
}

/// A persistent home may hold anything under the file's name by now, a link out of it included.
Result<void> replace_file(const Mount& file) {
    if (unlink(file.destination.c_str()) != 0 && errno != ENOENT) {
        return failure(file.destination);
    }
    return write_new_file(file.destination, file.data, static_cast<mode_t>(file.mode));
}

std::vector<std::string> names_in(int directory) {
    std::vector<std::string> names;
    int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    std::unique_ptr<DIR, int (*)(DIR*)> stream(copy < 0 ? nullptr : fdopendir(copy), closedir);
    while (stream) {
        dirent* entry = readdir(stream.get());
        if (entry == nullptr) {
            break;
        }
        std::string name = entry->d_name;
        if (name != "." && name != "..") {
            names.push_back(std::move(name));
        }
    }
    return names;
}

/// Opens the directory `name`, making it accessible first. Follows no link.
Fd open_directory(int parent, const std::string& name) {
    Fd fd(openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!fd.valid() && errno == EACCES) {
        struct stat status {};
        if (fstatat(parent, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode) &&
            fchmodat(parent, name.c_str(), 0700, 0) == 0) {
            fd.reset(openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        }
    }
    if (fd.valid()) {
        fchmod(fd.get(), 0700);
    }
    return fd;
}

/// Empties `top` without recursion: directories found inside are moved up into `top`, so that neither
/// path lengths nor open descriptors grow with the depth that the command chose.
void empty_directory(int top) {
    unsigned counter = 0;
    for (;;) {
        bool progress = false;
        for (const std::string& name : names_in(top)) {
            if (unlinkat(top, name.c_str(), 0) == 0) {
                progress = true;
                continue;
            }
            Fd inner = open_directory(top, name);
            if (!inner.valid()) {
                continue;
            }
            for (const std::string& child : names_in(inner.get())) {
                if (unlinkat(inner.get(), child.c_str(), 0) != 0) {
                    std::string moved = ".removed-" + std::to_string(counter++);
                    progress = renameat(inner.get(), child.c_str(), top, moved.c_str()) == 0 || progress;
                }
            }
            progress = unlinkat(top, name.c_str(), AT_REMOVEDIR) == 0 || progress;
        }
        if (!progress) {
            return;
        }
    }
}

/// Directories of runs whose sbx is gone: it was killed and could not remove them.
void remove_abandoned(const std::string& parent) {
    Fd directory(open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!directory.valid()) {
        return;
    }
    for (const std::string& name : names_in(directory.get())) {
        std::string_view rest = name;
        if (rest.substr(0, kRunPrefix.size()) != kRunPrefix) {
            continue;
        }
        rest.remove_prefix(kRunPrefix.size());
        int pid = 0;
        auto [end, status] = std::from_chars(rest.data(), rest.data() + rest.size(), pid);
        bool named = status == std::errc() && end != rest.data() + rest.size() && *end == '-' && pid > 1;
        if (named && kill(pid, 0) != 0 && errno == ESRCH) {
            remove_tree(path_join(parent, name));
        }
    }
}

Result<void> make_all(const Plan& plan, const HostFacts& facts) {
    for (const Mount& mount : plan.mounts) {
        bool mine = path_within(mount.destination, facts.mac.run_directory) ||
                    (mount.purpose == Purpose::Home && mount.kind == Mount::Kind::Bind &&
                     path_within(mount.destination, facts.state_dir));
        if (mount.kind == Mount::Kind::Bind && mine) {
            SBX_CHECK(make_directories(mount.destination));
        } else if (mount.kind == Mount::Kind::File) {
            SBX_CHECK(replace_file(mount));
        }
    }
    return {};
}

}  // namespace

void remove_tree(const std::string& path) {
    Fd top = open_directory(AT_FDCWD, path);
    if (top.valid()) {
        empty_directory(top.get());
        rmdir(path.c_str());
    }
}

Result<PrivatePlaces> PrivatePlaces::make(const Plan& plan, const HostFacts& facts) {
    const std::string& directory = facts.mac.run_directory;
    if (directory.empty()) {
        return Error{"io", "macOS names no cache directory for this user (confstr)", "log in as this user once"};
    }
    std::string parent = path_parent(directory);
    SBX_CHECK(make_directories(parent));
    remove_abandoned(parent);
    if (mkdir(directory.c_str(), 0700) != 0) {
        return failure(directory);
    }
    PrivatePlaces places(directory);
    SBX_CHECK(make_all(plan, facts));
    return places;
}

PrivatePlaces::~PrivatePlaces() {
    if (!directory_.empty()) {
        remove_tree(directory_);
    }
}

Result<std::string> PrivatePlaces::write_profile(const std::string& profile) const {
    std::string path = path_join(directory_, "profile.sb");
    SBX_CHECK(write_new_file(path, profile, 0400));
    return path;
}

}  // namespace sbx
