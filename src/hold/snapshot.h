// What a writable root holds of files that the host runs or obeys, at one moment.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hold/names.h"
#include "plan/plan.h"
#include "util/result.h"

namespace sbx::hold {

struct Item {
    enum class Kind : uint8_t { File, Link, Directory, Other };
    Kind kind = Kind::File;
    Role role = Role::Handover;
    uint32_t mode = 0;  ///< permission bits
    int64_t modified_ns = 0;
    int64_t changed_ns = 0;  ///< the kernel's own, which a program cannot set
    uint64_t inode = 0;
    bool whole = true;    ///< false: `content` was too large, or could not be read
    std::string content;  ///< bytes of a file, text of a link

    bool same_as(const Item& other) const {
        return kind == other.kind && content == other.content && (kind == Kind::Link || mode == other.mode) &&
               ((whole && other.whole) || untouched_since(other));
    }
    /// The very same file with nothing done to it.
    bool untouched_since(const Item& other) const {
        return inode == other.inode && changed_ns == other.changed_ns && modified_ns == other.modified_ns;
    }
};

/// Keyed by path relative to the root.
using Snapshot = std::map<std::string, Item>;

/// Directories that were opened up to be looked into. Gives their modes back when it ends.
class OpenedFolders {
  public:
    explicit OpenedFolders(int root) : root_(root) {}
    OpenedFolders(const OpenedFolders&) = delete;
    OpenedFolders& operator=(const OpenedFolders&) = delete;
    ~OpenedFolders();
    void add(std::vector<std::pair<std::string, uint32_t>> folders) { folders_ = std::move(folders); }

  private:
    int root_;
    std::vector<std::pair<std::string, uint32_t>> folders_;
};

struct Record;

struct SnapshotOptions {
    std::vector<std::string> guarded;    ///< absolute; git directories that mounts protect
    std::vector<std::string> hooks;      ///< absolute; core.hooksPath folders: hand-over files as a whole
    std::vector<std::string> read_only;  ///< absolute; what the command cannot change is not read
    /// For the snapshot after a run: what there was before. Links are followed as they were then, folders
    /// that could not be read then are left alone, untouched files are not read again.
    std::string home;                    ///< what "~/" stands for in git's settings
    const Snapshot* before = nullptr;
    const std::vector<Record>* others = nullptr;  ///< for the snapshot before a run: live ones around, see overlap.h
    std::vector<std::string>* followed = nullptr;  ///< gets what links and settings lead to in the root
    std::vector<std::string>* led_outside = nullptr;  ///< gets what links and settings name outside of the root
    OpenedFolders* opened = nullptr;  ///< after a run: folders and files of the caller's own are forced open
};

/// What the plan says of every root; the rest is left empty.
SnapshotOptions options_for(const HandoverPlan& plan);

/// Walks the directory `root_fd`, which is `root`, never following a link, and reads every hand-over entry:
/// whole for those of the list and for the targets inside the root that links of those names lead to;
/// configuration, hooks and pointers of every repository that is not guarded; and the hooks folders.
Snapshot take_snapshot(int root_fd, const std::string& root, const SnapshotOptions& options);

}  // namespace sbx::hold
