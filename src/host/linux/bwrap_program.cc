#include "host/linux/bwrap_program.h"

#include <sys/stat.h>

#include <array>
#include <sstream>

#include "host/resolve.h"
#include "util/text.h"

namespace sbx {
namespace {

// Not found through PATH: a hostile directory there would replace the sandbox itself.
constexpr std::array<const char*, 3> kBwrapPaths = {"/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap"};

constexpr uid_t kOverflow = 65534;

/// In a user namespace the files of users that it does not know show the overflow uid, root's among them.
/// Where that uid is somebody's own as well, nothing can be told from it. The right-hand numbers of the map
/// say nothing here: inside another sandbox they are those of a namespace in between.
bool overflow_is_root() {
    for (const auto& line : split(small_file("/proc/self/uid_map", 1 << 16).value_or(""), '\n')) {
        unsigned long inside = 0;
        unsigned long outside = 0;
        unsigned long count = 0;
        if (std::istringstream(line) >> inside >> outside >> count && inside <= kOverflow &&
            kOverflow - inside < count) {
            return false;
        }
    }
    return true;
}

/// Only root can change what stands at `path`.
bool only_root_changes(const std::string& path) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0 || (status.st_mode & S_IWOTH) != 0) {
        return false;
    }
    bool file_of_group = S_ISREG(status.st_mode) && (status.st_mode & S_IWGRP) != 0;
    return !file_of_group && (status.st_uid == 0 || (status.st_uid == kOverflow && overflow_is_root()));
}

}  // namespace

void find_bwrap(LinuxFacts& facts) {
    facts.bwrap_problem = "not-installed";
    for (const char* candidate : kBwrapPaths) {
        auto path = real_path(candidate);
        struct stat status {};
        if (!path || stat(path->c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
            continue;
        }
        if (!only_root_changes(*path) || !only_root_changes(path_parent(*path))) {
            facts.bwrap_refused = *path;
            facts.bwrap_problem = "not-trusted: " + *path + " can be changed by others than root";
            continue;
        }
        if ((status.st_mode & S_ISUID) != 0) {
            facts.bwrap_refused = *path;
            facts.bwrap_problem = "setuid: " + *path + " must not be setuid root";
            continue;
        }
        facts.bwrap = *path;
        facts.bwrap_problem.clear();
        return;
    }
}

}  // namespace sbx
