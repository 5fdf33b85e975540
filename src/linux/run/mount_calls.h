// The new mount interface (Linux 5.12), by descriptors: no path is walked twice, no link is followed.
#pragma once

#include <sys/stat.h>

#include <string>

#include "util/fd.h"
#include "util/result.h"

namespace sbx {

/// openat2 with RESOLVE_NO_SYMLINKS: ELOOP when a component of `path` is a link, except the last one
/// with O_PATH | O_NOFOLLOW. An absolute `path` starts at `directory`, too. Invalid Fd and errno on failure.
Fd open_without_links(int directory, const std::string& path, int flags);

/// True when `path` (as for open_without_links, itself not followed) is the root of a mount; `status`
/// then describes what is mounted. False and errno 0 when it exists and is none.
bool is_mount(int directory, const std::string& path, struct stat& status);

/// A copy of the mount tree at `fd`, attached nowhere.
Fd clone_mount(int fd, bool with_submounts);

/// Sets and clears MOUNT_ATTR_* on a detached tree. False and errno on failure.
bool change_mount(int tree, uint64_t set, uint64_t clear, bool with_submounts);

/// Puts the detached `tree` on top of what `target` names. False and errno on failure.
bool attach_mount(int tree, int target);

/// A new, detached, empty tmpfs whose root has `mode`.
Fd empty_directory_mount(const char* mode);

}  // namespace sbx
