// What a writable root holds of files that the host runs or obeys, at one moment.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hold/names.h"
#include "util/result.h"

namespace sbx::hold {

struct Item {
    enum class Kind : uint8_t { File, Link, Directory, Other };
    Kind kind = Kind::File;
    Role role = Role::Handover;
    uint32_t mode = 0;        ///< permission bits
    int64_t modified_ns = 0;
    std::string content;      ///< bytes of a file, text of a link

    bool same_as(const Item& other) const {
        return kind == other.kind && content == other.content && (kind == Kind::Link || mode == other.mode);
    }
};

/// Keyed by path relative to the root.
using Snapshot = std::map<std::string, Item>;

/// Walks `root`, never following a link, and reads every hand-over entry: whole for those of the list and
/// for the targets inside the root that links of those names lead to; configuration, hooks and pointers of
/// every repository but those whose git directories are in `guarded` (absolute paths; mounts protect them);
/// and what is in the `hooks` folders (absolute).
/// Errors: "io"; "oversized" when they hold more than 512 MiB.
Result<Snapshot> take_snapshot(const std::string& root, const std::vector<std::string>& guarded,
                               const std::vector<std::string>& hooks);

}  // namespace sbx::hold
