// The times in struct stat, whose names differ between systems.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>

namespace sbx::hold {

/// Nanoseconds since 1970 of the last change of the content.
int64_t modified_ns(const struct stat& status);

/// Of the last change of anything; the kernel's own clock, which a program cannot set.
int64_t changed_ns(const struct stat& status);

/// When the directory at `path` was made; 0 where the file system does not say. Inode numbers are used again.
int64_t born_ns(const std::string& path);

}  // namespace sbx::hold
