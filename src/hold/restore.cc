#include "hold/restore.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "hold/files.h"
#include "hold/store.h"
#include "util/text.h"

namespace sbx::hold {
namespace {

using Verdict = Change::Verdict;

class Restorer {
  public:
    Restorer(const std::string& state, const std::string& root, int directory)
        : state_(state), root_(root), directory_(directory) {}

    void run(const std::vector<Change>& changes) {
        keep(changes);
        // Created entries go deepest first, so that a folder is empty of them; what was there comes back
        // from the top down.
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
    /// The command's versions, on the disk before anything is taken away.
    void keep(const std::vector<Change>& changes) {
        Held held;
        held.root = root_;
        for (const Change& change : changes) {
            if (change.verdict != Verdict::Hold) {
                continue;
            }
            bool keepable = change.after == nullptr || change.after->kind != Item::Kind::Other;
            if (!keepable) {
                move_aside(change.path);
                continue;
            }
            if (change.before != nullptr) {
                held.before[change.path] = *change.before;
            }
            if (change.after != nullptr) {
                held.after[change.path] = *change.after;
            }
            report.held.push_back(change.path);
        }
        if (report.held.empty()) {
            return;
        }
        if (auto saved = save(state_, held); !saved.ok()) {
            // A full disk: renaming takes no space, and under another name nothing obeys the file.
            for (const auto& [path, item] : held.after) {
                if (item.kind != Item::Kind::Directory) {
                    move_aside(path);
                }
            }
            report.held.clear();
        }
    }

    void move_aside(const std::string& path) {
        Fd parent = open_parent(directory_, path, false);
        for (int number = 1; parent.valid() && number < 10000; ++number) {
            std::string name = "sbx-held-" + std::to_string(number);
            if (faccessat(directory_, name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
                continue;
            }
            if (renameat(parent.get(), path_name(path).c_str(), directory_, name.c_str()) == 0) {
                report.aside.push_back(path + " -> " + name);
            } else {
                report.failed.push_back(printable_line(path) + ": " + std::strerror(errno));
            }
            return;
        }
    }

    void take_away(const Change& change) {
        auto done = change.rewritten ? rewrite(change) : remove_item(directory_, change.path);
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
        bool directory = change.before->kind == Item::Kind::Directory;
        if (directory && change.after != nullptr && change.after->kind == Item::Kind::Directory &&
            change.before->mode == change.after->mode) {
            return;
        }
        if (change.before->kind == Item::Kind::Other) {
            return;  // it could not be read before the run either
        }
        auto done = put_item(directory_, change.path, *change.before);
        if (!done.ok()) {
            report.failed.push_back(done.error().message);
        }
    }

    const std::string& state_;
    const std::string& root_;
    int directory_;
};

}  // namespace

Result<Report> restore(const HandoverPlan& plan, const std::string& state_directory, const std::string& root,
                       const Snapshot& before, const InCommit& in_commit) {
    SBX_ASSIGN(Snapshot after, take_snapshot(root, plan.git_dirs, plan.hooks));
    std::vector<Change> changes = judge(plan, root, before, after);
    for (Change& change : changes) {
        Role role = change.after != nullptr ? change.after->role : change.before->role;
        bool file = change.after == nullptr || change.after->kind == Item::Kind::File;
        if (change.verdict != Verdict::Leave && file && (role == Role::Handover || role == Role::Instruction) &&
            in_commit(root, change.path, change.after)) {
            change.verdict = Verdict::Leave;
        }
    }
    Fd directory(open(root.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!directory.valid()) {
        return Error{"io", printable_line(root) + ": " + std::strerror(errno), ""};
    }
    Restorer restorer(state_directory, root, directory.get());
    restorer.run(changes);
    return std::move(restorer.report);
}

}  // namespace sbx::hold
