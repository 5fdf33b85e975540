#include "hold/reserved.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "hold/files.h"
#include "util/text.h"

namespace sbx::hold {

Result<ReservedNames> ReservedNames::open(const std::vector<std::string>& paths) {
    ReservedNames reserved;
    for (const std::string& path : paths) {
        Name name{path, path_name(path), folder_of(path)};
        if (!name.directory.valid()) {
            return Error{"setup_failed", "guarding " + printable_line(path) + ": " + std::strerror(errno), "try again"};
        }
        if (exists(name)) {
            return Error{"setup_failed", printable_line(path) + " has appeared since the run was planned", "try again"};
        }
        reserved.names_.push_back(std::move(name));
    }
    return reserved;
}

bool ReservedNames::exists(const Name& name) {
    struct stat status {};
    return fstatat(name.directory.get(), name.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
}

bool ReservedNames::taken() const { return std::any_of(names_.begin(), names_.end(), exists); }

std::vector<std::string> ReservedNames::clear() const {
    std::vector<std::string> removed;
    for (const Name& name : names_) {
        if (!exists(name)) {
            continue;
        }
        removed.push_back(name.path);
        (void)remove_entry(name.directory.get(), name.name);
        Fd inside(openat(name.directory.get(), name.name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (inside.valid()) {
            std::vector<std::string> below = paths_below(inside.get());
            for (auto entry = below.rbegin(); entry != below.rend(); ++entry) {
                (void)remove_entry(inside.get(), *entry);
            }
            (void)remove_entry(name.directory.get(), name.name);
        }
        if (exists(name)) {
            (void)move_aside(name.directory.get(), name.name);
        }
    }
    return removed;
}

std::vector<int> ReservedNames::directories() const {
    std::vector<int> directories;
    for (const Name& name : names_) {
        directories.push_back(name.directory.get());
    }
    return directories;
}

}  // namespace sbx::hold
