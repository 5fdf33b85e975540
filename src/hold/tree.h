// Walks one directory tree completely: never follows a link, never recurses, keeps few descriptors open
// however deep the tree is, and uses a second thread when the tree is large.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/facts.h"

namespace sbx::hold {

/// What a walk tells about each directory. Every thread has one of its own.
class TreeVisitor {
  public:
    virtual ~TreeVisitor() = default;
    /// A directory begins. `path`: relative to the root, "" for the root. `bits`: what descend() answered
    /// for it, 0 for the root.
    virtual void enter(std::string_view path, uint32_t bits) = 0;
    /// One entry of it, in the order of the file system.
    virtual void entry(std::string_view name, FileKind kind) = 0;
    /// All entries were seen; asked once for each subdirectory. False: it is not walked.
    virtual bool descend(std::string_view name, uint32_t& bits) = 0;
};

struct TreeOptions {
    /// Open directories of the caller's own whose mode forbids it, and leave them open: what the command
    /// hides that way must not be hidden from hold.
    bool force = false;
    unsigned threads = 2;
    uint64_t large = 20000;  ///< entries after which the further threads start
};

/// Paths are relative to the root and sorted.
struct TreeResult {
    std::vector<std::string> unreadable;
    std::vector<std::pair<std::string, uint32_t>> forced;  ///< with the modes that they had
};

/// Walks the directory `root`. `make` is called once for each thread, never at the same time; the visitors
/// are the caller's and must outlive the walk.
TreeResult walk_tree(int root, const TreeOptions& options, const std::function<TreeVisitor&()>& make);

}  // namespace sbx::hold
