#include "hold/restore.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <iterator>
#include <map>
#include <set>

#include "hold/files.h"
#include "hold/select.h"
#include "hold/store.h"
#include "util/text.h"

namespace sbx::hold {
namespace {

using Verdict = Change::Verdict;

class Restorer {
  public:
    Restorer(const std::string& state, const std::string& root, int directory)
        : state_(state), directory_(directory) {
        held_.root = root;
    }

    void run(std::vector<Change> changes) {
        find_obstacles(changes);
        keep(changes);
        // What was created goes from the bottom up, so that a folder is empty of it; what was there comes
        // back from the top down.
        for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
            if (change->verdict == Verdict::Hold && (change->before == nullptr || change->rewritten)) {
                take_away(*change);
            }
        }
        for (const Change& change : changes) {
            if (change.before == nullptr && change.after->role == Role::Unread) {
                report.failed.push_back(printable_line(change.path) + ": could not be searched");
            } else if (change.verdict == Verdict::Hold && change.before != nullptr && !change.rewritten) {
                put_back(change);
            } else if (change.verdict == Verdict::Report) {
                const Item* item = change.after != nullptr ? change.after : change.before;
                if (item->kind != Item::Kind::Directory) {  // what is in it says more
                    report.reported.push_back(change.path);
                }
            }
        }
    }

    Report report;

  private:
    /// A link or a file where there was a folder with something to put back into: the command's, and held.
    void find_obstacles(std::vector<Change>& changes) {
        std::map<std::string, const Item*> found;
        for (const Change& change : changes) {
            for (size_t end = change.path.find('/');
                 change.before != nullptr && change.verdict == Verdict::Hold && end != std::string::npos;
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
        std::sort(changes.begin(), changes.end(),
                  [](const Change& a, const Change& b) { return a.path < b.path; });
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
        if (change.rewritten->empty() && change.after->role == Role::GitState) {
            return remove_entry(directory_, change.path);
        }
        Item reduced = *change.after;
        reduced.content = *change.rewritten;
        reduced.mode = change.before != nullptr ? change.before->mode : 0644;
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
            done =
                put_item(directory_, change.path, before);  // a folder with other things in it was in the way
        }
        if (!done.ok()) {
            report.failed.push_back(done.error().message);
        }
    }

    bool is_directory(const std::string& path) const {
        Fd parent = open_parent(directory_, path, false);
        struct stat status {};
        return parent.valid() &&
               fstatat(parent.get(), path_name(path).c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
               S_ISDIR(status.st_mode);
    }

    const std::string& state_;
    int directory_;
    Held held_;
    std::deque<Item> obstacles_;
};

/// Files that the user committed, and the command only checked out.
void leave_committed(const HandoverPlan& plan, const std::string& root, const std::vector<std::string>& tips,
                     const CatFile& cat_file, std::vector<Change>& changes) {
    std::vector<Candidate> candidates;
    std::vector<Change*> asked;
    for (Change& change : changes) {
        Role role = change.after != nullptr ? change.after->role : change.before->role;
        const Item* item = change.after != nullptr ? change.after : change.before;
        std::string full = path_join(root, change.path);
        if (change.verdict != Verdict::Leave && item->kind != Item::Kind::Directory &&
            !plan.top_level.empty() && path_within(full, plan.top_level) &&
            (role == Role::Handover || role == Role::Instruction)) {
            candidates.push_back({full.substr(plan.top_level.size() + 1), change.after, change.before});
            asked.push_back(&change);
        }
    }
    std::vector<bool> known = committed(candidates, tips, cat_file);
    for (size_t i = 0; i < asked.size(); ++i) {
        asked[i]->verdict = known[i] ? Verdict::Leave : asked[i]->verdict;
    }
    // git makes and removes the folders of its files without a word.
    for (Change& change : changes) {
        const Item* item = change.after != nullptr ? change.after : change.before;
        bool empty_of_changes = std::none_of(changes.begin(), changes.end(), [&](const Change& other) {
            return other.verdict != Verdict::Leave && other.path != change.path &&
                   path_within(other.path, change.path);
        });
        bool around_known = std::any_of(asked.begin(), asked.end(), [&](const Change* other) {
            return other->verdict == Verdict::Leave && path_within(other->path, change.path);
        });
        if (item->kind == Item::Kind::Directory && empty_of_changes && around_known) {
            change.verdict = Verdict::Leave;
        }
    }
}

/// Commits that the run may have made must not pass for the user's in the next one.
void doubt_new_tips(const HandoverPlan& plan, const std::string& state_directory,
                    const std::vector<std::string>& before) {
    std::vector<std::string> tips = ref_tips(plan.git_dir, plan.common_dir);
    if (tips == before) {
        return;
    }
    std::set<std::string> known(before.begin(), before.end());
    for (const std::string& tip : doubtful_tips(state_directory, plan.common_dir)) {
        known.insert(tip);
    }
    tips.erase(std::remove_if(tips.begin(), tips.end(),
                              [&](const std::string& tip) { return known.count(tip) != 0; }),
               tips.end());
    (void)add_doubtful_tips(state_directory, plan.common_dir, tips).ok();
}

}  // namespace

void Report::add(Report other) {
    auto append = [](std::vector<std::string>& to, std::vector<std::string>& from) {
        to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
    };
    append(held, other.held);
    append(reported, other.reported);
    append(aside, other.aside);
    append(removed, other.removed);
    append(failed, other.failed);
    lost_run = lost_run || other.lost_run;
}

Result<Report> restore(const Record& record, const std::string& state_directory, const CatFile& cat_file) {
    const HandoverPlan& plan = record.plan;
    const std::string& root = record.place.root;
    const Before& before = record.before;
    Fd directory(open(root.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!directory.valid()) {
        return Error{"io", printable_line(root) + ": " + std::strerror(errno), ""};
    }
    // The command of another run, which may change the folders around, could have put a link in the way.
    struct stat status {};
    if (fstat(directory.get(), &status) != 0 || status.st_ino != record.place.inode) {
        return Error{"io", printable_line(root) + ": another folder is in its place", ""};
    }
    OpenedFolders opened(directory.get());
    SnapshotOptions options = options_for(plan);
    options.before = &before.files;
    options.opened = &opened;
    Snapshot after = take_snapshot(directory.get(), root, options);
    std::vector<Change> changes = judge(plan, before.files, after);
    leave_read_only(plan, root, changes);
    leave_committed(plan, root, before.tips, cat_file, changes);
    if (!plan.top_level.empty() && path_within(plan.top_level, root)) {
        doubt_new_tips(plan, state_directory, before.tips);
    }
    Restorer restorer(state_directory, root, directory.get());
    restorer.run(std::move(changes));
    return std::move(restorer.report);
}

}  // namespace sbx::hold
