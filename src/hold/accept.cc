// sbx accept and sbx discard.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <set>

#include "hold/commands.h"
#include "hold/files.h"
#include "hold/git_state.h"
#include "hold/baseline.h"
#include "hold/live.h"
#include "hold/rules.h"
#include "hold/select.h"
#include "util/text.h"

namespace sbx::hold {
namespace {

const Item* item_in(const Snapshot& snapshot, const std::string& path) {
    auto found = snapshot.find(path);
    return found == snapshot.end() ? nullptr : &found->second;
}

bool equal(const Item* a, const Item* b) {
    return a == nullptr || b == nullptr ? a == b : a->same_as(*b);
}

/// True when `now` is what the run's end left of `after`, so that the host has changed nothing.
bool is_harmless_rest(const std::string& path, const Item* before, const Item* after, const Item* now) {
    if (now == nullptr || after == nullptr || now->kind != Item::Kind::File) {
        return false;
    }
    if (after->role == Role::GitConfig) {
        return before == nullptr && now->content == reduced_git_config(after->content);
    }
    return after->role == Role::GitState &&
           now->content == disarmed_git_state(lower(path_name(path)), before != nullptr ? before->content : "",
                                              after->content);
}

/// Applies one run's held changes in its root.
class Acceptor {
  public:
    Acceptor(const Selection& selection, Held& held, int directory, bool replace, const Say& say)
        : selection_(selection), held_(held), directory_(directory), replace_(replace), say_(say) {}

    /// True when all `paths` are in place.
    Result<bool> run(const std::vector<std::string>& paths) {
        std::vector<std::string> ready;
        for (const std::string& path : paths) {
            if (may_apply(path)) {
                ready.push_back(path);
            }
        }
        if (!replaced_.after.empty()) {
            SBX_CHECK(save(selection_.state_directory, replaced_));
        }
        // What goes goes from the bottom up, what comes comes from the top down.
        for (auto path = ready.rbegin(); path != ready.rend(); ++path) {
            if (item_in(held_.after, *path) == nullptr) {
                settle(*path, remove_entry(directory_, *path));
            }
        }
        for (const std::string& path : ready) {
            if (const Item* item = item_in(held_.after, path)) {
                settle(path, put_item(directory_, path, *item));
            }
        }
        SBX_CHECK(update(selection_.state_directory, held_));
        return complete_;
    }

  private:
    std::string shown(const std::string& path) const { return printable_line(path_join(held_.root, path)); }

    /// False, with a line, when the host changed the file since the run and shall not lose that.
    bool may_apply(const std::string& path) {
        const Item* before = item_in(held_.before, path);
        const Item* after = item_in(held_.after, path);
        Item found;
        const Item* now = nullptr;
        Fd parent = open_parent(directory_, path, false);
        if (parent.valid() && read_item(parent.get(), path_name(path), {}, found)) {
            now = &found;
        } else if (errno != ENOENT) {
            return keep_both(path, std::strerror(errno));
        }
        bool folders = now != nullptr && now->kind == Item::Kind::Directory &&
                       (after == nullptr || after->kind == Item::Kind::Directory);
        if (equal(now, after) || equal(now, before) || folders || is_harmless_rest(path, before, after, now)) {
            return true;
        }
        if (!replace_) {
            return keep_both(path, "changed here since; --replace makes them change places");
        }
        if (now != nullptr && now->kind != Item::Kind::File && now->kind != Item::Kind::Link) {
            return keep_both(path, "a folder or a special file is in its place");
        }
        if (now != nullptr) {
            replaced_.root = held_.root;
            found.role = after != nullptr ? after->role : before->role;
            replaced_.after[path] = found;
        }
        return true;
    }

    bool keep_both(const std::string& path, const std::string& why) {
        say_("both kept: " + shown(path) + ": " + why + " (sbx held --diff)");
        complete_ = false;
        return false;
    }

    void settle(const std::string& path, const Result<void>& done) {
        if (!done.ok()) {
            complete_ = false;
            say_("still held: " + shown(path) + ": " + done.error().message);
            return;
        }
        const Item* after = item_in(held_.after, path);
        if (after == nullptr || after->kind != Item::Kind::Directory) {
            say_((after == nullptr ? "accepted: removed " : "accepted: ") + shown(path));
        }
        held_.before.erase(path);
        held_.after.erase(path);
    }

    const Selection& selection_;
    Held& held_;
    int directory_;
    bool replace_;
    const Say& say_;
    Held replaced_;
    bool complete_ = true;
};

}  // namespace

Result<bool> accept_held(const Selection& selection, bool replace, const Say& say) {
    // While this lasts no run begins or ends: the end of one would take the accepted files for its own.
    const std::string& live = selection.live_directory;
    SBX_CHECK(make_live_directory(live));
    SBX_ASSIGN(Fd turn, take_turn(live));
    SBX_ASSIGN(std::vector<Selected> all, load_selected(selection));
    bool complete = true;
    std::set<std::string> newer;
    for (auto one = all.rbegin(); one != all.rend(); ++one) {
        Held& held = one->held;
        if (is_live_around(live, held.root)) {
            return Error{"live_run", "a command is still running in " + printable_line(held.root),
                         "accept when it has ended: its end restores the files that it may not change"};
        }
        std::vector<std::string> paths;
        for (const std::string& path : one->paths) {
            if (newer.insert(path_join(held.root, path)).second) {
                paths.push_back(path);
            } else {
                say("still held: an older version of " + printable_line(path_join(held.root, path)) +
                    ", of " + held.time);
            }
        }
        Fd directory(open(held.root.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (!directory.valid()) {
            say("still held: " + printable_line(held.root) + ": " + std::strerror(errno));
            complete = false;
            continue;
        }
        if (!paths.empty()) {
            SBX_ASSIGN(bool done, Acceptor(selection, held, directory.get(), replace, say).run(paths));
            complete = complete && done;
        }
    }
    tidy(live);
    return complete;
}

Result<void> discard_held(const Selection& selection, const Say& say) {
    const std::string& live = selection.live_directory;
    SBX_CHECK(make_live_directory(live));
    SBX_ASSIGN(Fd turn, take_turn(live));
    SBX_ASSIGN(std::vector<Selected> all, load_selected(selection));
    for (Selected& one : all) {
        for (const std::string& path : telling_paths(one.held, one.paths)) {
            say("discarded: " + printable_line(path_join(one.held.root, path)));
        }
        for (const std::string& path : one.paths) {
            one.held.before.erase(path);
            one.held.after.erase(path);
        }
        SBX_CHECK(update(selection.state_directory, one.held));
    }
    tidy(live);
    return {};
}

}  // namespace sbx::hold
