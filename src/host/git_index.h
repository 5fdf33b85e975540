// Reads git's index, the list of tracked files. Pure; the bytes are hostile.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace sbx {

struct IndexEntry {
    std::string_view path;     ///< relative to the top level; valid during the call only
    std::string_view object;   ///< 20 or 32 bytes: the name of the blob
    uint32_t mode = 0;         ///< as git has it: 0100644, 0100755, 0120000, 0160000, 040000
};

/// Calls `visit` for each entry of an index of version 2, 3 or 4, with SHA-1 or SHA-256 names. False,
/// without a call, when the bytes are no whole index. Entries that a split index keeps elsewhere are not
/// seen.
bool read_git_index(std::string_view bytes, const std::function<void(const IndexEntry&)>& visit);

}  // namespace sbx
