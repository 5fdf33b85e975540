#include "hold/restore.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>

#include "hold/files.h"
#include "hold/select.h"
#include "hold/store.h"
#include "util/text.h"

namespace sbx::hold {
namespace {

using Verdict = Change::Verdict;

class Restorer {
  public:
    Restorer(const std::string& state, const std::string& root, int directory) : state_(state), directory_(directory) {
        held_.root = root;
    }

    void run(std::vector<Change> changes) {
        find_obstacles(changes);
        keep(changes);
        // What was created goes from the bottom up, so that a folder is empty of it; what was there comes
        // back from the top down.
        for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
            if (change->verdict == Verdict::Hold && change->before == nullptr) {
                take_away(*change);
            }
        }
        for (const Change& change : changes) {
            if (change.verdict == Verdict::Hold && change.before != nullptr) {
                put_back(change);
            } else if (change.verdict == Verdict::Report) {
                report.reported.push_back(change.path);
            }
        }
    }

    Report report;

  private:
    /// A link or a file where there was a folder with something to put back into: the command's, and held.
    void find_obstacles(std::vector<Change>& changes) {
        std::map<std::string, const Item*> found;
        for (const Change& change : changes) {
            for (size_t end = change.path.find('/'); change.before != nullptr && change.verdict == Verdict::Hold &&
                                                     end != std::string::npos;
                 end = change.path.find('/', end + 1)) {
                std::string path = change.path.substr(0, end);
                Fd parent = open_parent(directory_, path, false);
                Item item;
                if (!parent.valid() || !read_item(parent.get(), path_name(path), {}, item)) {
                    break;
                }
                if (item.kind != Item::Kind::Directory) {
                    obstacles_.push_back(std::move(item));
                    found.emplace(path, &obstacles_.back());
                    break;
                }
            }
        }
        for (const Change& change : changes) {
            found.erase(change.path);
        }
        for (const auto& [path, item] : found) {
            changes.push_back({path, nullptr, item, Verdict::Hold, std::nullopt});
        }
        std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.path < b.path; });
    }

    /// The command's versions, on the disk before anything is taken away.
    void keep(const std::vector<Change>& changes) {
        std::vector<std::string> paths;
        for (const Change& change : changes) {
            if (change.verdict != Verdict::Hold) {
                continue;
            }
            bool lost = change.before != nullptr && !change.before->whole;
            if (change.after != nullptr && (!change.after->whole || lost)) {
                aside(change.path, lost ? "; what was there before could not be kept" : "");
                continue;
            }
            if (change.before != nullptr) {
                held_.before[change.path] = *change.before;
            }
            if (change.after != nullptr) {
                held_.after[change.path] = *change.after;
            }
            paths.push_back(change.path);
        }
        if (paths.empty()) {
            return;
        }
        if (save(state_, held_).ok()) {
            report.held = telling_paths(held_, paths);
            return;
        }
        // A full disk: renaming takes no space, and under another name nothing obeys the file.
        for (const auto& [path, item] : held_.after) {
            if (item.kind != Item::Kind::Directory) {
                aside(path, "");
            }
        }
    }

    bool aside(const std::string& path, const std::string& more) {
        auto name = move_aside(directory_, path);
        if (!name.ok()) {
            report.failed.push_back(name.error().message);
            return false;
        }
        report.aside.push_back(path + " -> " + *name + more);
        return true;
    }

    void take_away(const Change& change) {
        auto done = change.rewritten ? rewrite(change) : remove_entry(directory_, change.path);
        if (!done.ok()) {
            report.failed.push_back(done.error().message);
        }
    }

    Result<void> rewrite(const Change& change) {
        Item reduced = *change.after;
        reduced.content = *change.rewritten;
        reduced.mode = 0644;
        return put_item(directory_, change.path, reduced);
    }

    void put_back(const Change& change) {
        const Item& before = *change.before;
        bool directory = before.kind == Item::Kind::Directory;
        bool still = directory && change.after != nullptr && change.after->kind == Item::Kind::Directory &&
                     before.mode == change.after->mode;
        if (still || (!before.whole && !directory)) {
            return;
        }
        auto done = put_item(directory_, change.path, before);
        if (!done.ok() && !directory && is_directory(change.path) && aside(change.path, "")) {
            done = put_item(directory_, change.path, before);  // a folder with other things in it was in the way
        }
        if (!done.ok()) {
            report.failed.push_back(done.error().message);
        }
    }

    bool is_directory(const std::string& path) const {
        Fd parent = open_parent(directory_, path, false);
        struct stat status {};
        return parent.valid() && fstatat(parent.get(), path_name(path).c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
               S_ISDIR(status.st_mode);
    }

    const std::string& state_;
    int directory_;
    Held held_;
    std::deque<Item> obstacles_;
};

/// Files that the user committed, and the command only checked out.
void leave_committed(const std::string& root, const InCommit& in_commit, std::vector<Change>& changes) {
    for (Change& change : changes) {
        Role role = change.after != nullptr ? change.after->role : change.before->role;
        bool file = change.after == nullptr || change.after->kind == Item::Kind::File;
        if (change.verdict != Verdict::Leave && file && (role == Role::Handover || role == Role::Instruction) &&
            in_commit(root, change.path, change.after)) {
            change.verdict = Verdict::Leave;
        }
    }
}

}  // namespace

Result<Report> restore(const HandoverPlan& plan, const std::string& state_directory, const std::string& root,
                       const Snapshot& before, const InCommit& in_commit) {
    Fd directory(open(root.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!directory.valid()) {
        return Error{"io", printable_line(root) + ": " + std::strerror(errno), ""};
    }
    OpenedFolders opened(directory.get());
    SnapshotOptions options;
    options.guarded = plan.git_dirs;
    options.hooks = plan.hooks;
    options.before = &before;
    options.opened = &opened;
    Snapshot after = take_snapshot(directory.get(), root, options);
    std::vector<Change> changes = judge(plan, before, after);
    leave_committed(root, in_commit, changes);
    Restorer restorer(state_directory, root, directory.get());
    restorer.run(std::move(changes));
    return std::move(restorer.report);
}

}  // namespace sbx::hold
