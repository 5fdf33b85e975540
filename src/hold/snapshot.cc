#include "hold/snapshot.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <set>

#include "hold/files.h"
#include "hold/find.h"
#include "hold/overlap.h"
#include "hold/rules.h"
#include "util/git_config.h"
#include "util/text.h"

namespace sbx::hold {
namespace {

// What a run may leave for `sbx accept` in memory and in the state directory; what is larger stays in the
// root under another name.
constexpr size_t kLargestFile = size_t{32} << 20;
constexpr int64_t kTick = 100'000'000;  // ns; the kernel's clock for files ticks at least this often
constexpr size_t kLargestTotal = size_t{256} << 20;

/// A file of git's settings, and the worktree that they are for.
struct SettingsFile {
    std::string path;      ///< relative to the root
    std::string worktree;  ///< absolute
};

class Collector {
  public:
    Collector(int top, const std::string& root, const SnapshotOptions& options)
        : top_(top),
          root_(root),
          options_(options),
          others_(options.before == nullptr && options.others != nullptr && !options.others->empty()) {
        timespec now{};
        clock_gettime(CLOCK_REALTIME, &now);
        fresh_ = int64_t{now.tv_sec} * 1000000000 + now.tv_nsec - kTick;
    }

    Snapshot run() {
        std::vector<std::string> passed_over;
        if (options_.before != nullptr) {
            for (const auto& [path, item] : *options_.before) {
                if (item.role == Role::Unread) {
                    passed_over.push_back(path);
                }
            }
        }
        Found found = find_handover(top_, path_name(root_), relative(options_.guarded), passed_over,
                                    options_.opened != nullptr);
        if (options_.opened != nullptr) {
            options_.opened->add(found.walk.forced);
        }
        for (const Hit& hit : found.hits) {
            add(hit.path, hit.role);
        }
        for (const std::string& path : found.walk.unreadable) {
            note_unread(path);
        }
        for (const std::string& path : relative(options_.hooks)) {
            add_tree(path, Role::Handover);
        }
        follow();
        settle_pointers(found.repositories);
        return std::move(found_);
    }

  private:
    std::string absolute(const std::string& path) const {
        return path.empty() ? root_ : path_join(root_, path);
    }

    /// Those of `paths` that lie in the root.
    std::vector<std::string> relative(const std::vector<std::string>& paths) const {
        std::vector<std::string> inside;
        for (const std::string& path : paths) {
            if (path == root_) {
                inside.emplace_back();
            } else if (path_within(path, root_)) {
                inside.push_back(path.substr(root_ == "/" ? 1 : root_.size() + 1));
            }
        }
        return inside;
    }

    void add(const std::string& path, Role role) {
        if (found_.count(path) != 0) {
            return;
        }
        if (others_) {
            if (auto known = known_before(*options_.others, absolute(path), role)) {
                if (*known != nullptr) {
                    take(path, **known, role);
                }
                return;
            }
        }
        size_t slash = path.rfind('/');
        std::string around = slash == std::string::npos ? "" : path.substr(0, slash);
        if (!parent_.valid() || around != parent_path_) {
            parent_ = open_parent(top_, path, false);
            parent_path_ = around;
        }
        if (!parent_.valid()) {
            return;
        }
        const Item* known = nullptr;
        if (options_.before != nullptr) {
            auto before = options_.before->find(path);
            known = before == options_.before->end() ? nullptr : &before->second;
        }
        std::string full = absolute(path);
        bool read_only = std::any_of(options_.read_only.begin(), options_.read_only.end(),
                                     [&](const std::string& guarded) { return path_within(full, guarded); });
        size_t limit =
            read_only ? 0 : std::min(kLargestFile, kLargestTotal - std::min(kLargestTotal, total_));
        Item item;
        if (!read_item(parent_.get(), path_name(path), {known, limit, options_.opened != nullptr}, item)) {
            return;  // gone since its name was read
        }
        item.role = role;
        if (options_.before == nullptr && item.whole && item.changed_ns > fresh_) {
            item.changed_ns = -1;  // a change in the same tick of the kernel's clock would not show
        }
        total_ += item.content.size();
        found_[path] = std::move(item);
    }

    void take(const std::string& path, const Item& known, Role role) {
        total_ += known.content.size();
        Item& item = found_[path] = known;
        item.role = role;
    }

    /// What another live run will put back although it is not there now.
    void add_known() {
        std::vector<std::string> followed = followed_;
        View own{root_, options_.guarded, options_.hooks, options_.read_only, followed, found_};
        for (const Record& other : *options_.others) {
            for (const auto& [path, item] : other.before.files) {
                std::string full = path_join(other.place.root, path);
                if (looks_at(own, full, item.role) && would_be_held(other.plan, item)) {
                    std::string relative_path = full.substr(root_.size() + 1);
                    if (found_.count(relative_path) == 0) {
                        take(relative_path, item, item.role);
                    }
                }
            }
        }
    }

    void follow() {
        size_t size = 0;
        do {
            size = found_.size();
            if (others_) {
                add_known();
            }
            follow_settings();
            follow_links();
        } while (others_ && found_.size() != size);
        if (options_.followed != nullptr) {
            std::sort(followed_.begin(), followed_.end());
            followed_.erase(std::unique(followed_.begin(), followed_.end()), followed_.end());
            *options_.followed = followed_;
        }
    }

    void note_unread(const std::string& path) {
        Item item;
        item.kind = Item::Kind::Directory;
        item.role = Role::Unread;
        found_.emplace(path, std::move(item));
    }

    /// Everything below `path`, and itself.
    void add_tree(const std::string& path, Role role) {
        if (path.empty()) {
            return;
        }
        add(path, role);
        auto item = found_.find(path);
        if (item == found_.end() || item->second.kind != Item::Kind::Directory ||
            !trees_.insert(path).second) {
            return;
        }
        Fd parent = open_parent(top_, path, false);
        std::string name = path_name(path);
        Fd directory(openat(parent.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (!directory.valid()) {
            return;
        }
        for (const std::string& below : paths_below(directory.get())) {
            add(path + "/" + below, role);
        }
    }

    /// Other files that the settings of repositories lead to, and their folders of hooks. After a run the settings
    /// from before it count, for the same reason as with links.
    void follow_settings() {
        const Snapshot& settings = options_.before != nullptr ? *options_.before : found_;
        std::vector<SettingsFile> waiting;
        for (const auto& [path, item] : settings) {
            if (item.role == Role::GitConfig) {
                size_t slash = path.rfind('/');
                std::string directory = slash == std::string::npos ? "" : path.substr(0, slash);
                // core.hooksPath is looked for in the worktree; a bare repository has none.
                std::string around = lower(path_name(absolute(directory))) == ".git" ? path_parent(absolute(directory))
                                                                                      : absolute(directory);
                waiting.push_back({path, around});
            }
        }
        std::set<std::string> done;
        while (!waiting.empty()) {
            SettingsFile file = std::move(waiting.back());
            waiting.pop_back();
            auto item = settings.find(file.path);
            if (item == settings.end() || item->second.kind != Item::Kind::File || !done.insert(file.path).second) {
                continue;
            }
            auto entries = parse_git_config(item->second.content);
            for (const GitConfigEntry& entry : entries.ok() ? *entries : std::vector<GitConfigEntry>{}) {
                bool include = entry.name == "path" && (entry.section == "include" || entry.section == "includeif");
                bool hooks = entry.section == "core" && entry.name == "hookspath";
                if (!entry.value || entry.value->empty() || (!include && !hooks)) {
                    continue;
                }
                std::string from = include ? absolute(file.path) : path_join(file.worktree, "hooks");
                std::string target = led_to(from, at_home(*entry.value), 0);
                if (!target.empty()) {
                    followed_.push_back(target);
                }
                if (!target.empty() && include) {
                    add(target, Role::GitConfig);
                    waiting.push_back({target, file.worktree});
                } else if (!target.empty()) {
                    add_tree(target, Role::GitHook);
                }
            }
        }
    }

    std::string at_home(const std::string& text) const {
        return text.rfind("~/", 0) == 0 && !options_.home.empty() ? path_join(options_.home, text.substr(2)) : text;
    }

    /// What the host obeys of a hand-over name that is a link is its target, which counts too when it lies in
    /// this root, with the links on the way. After a run the links from before it count: one that the
    /// command made could make all of the user's files hand-over files.
    void follow_links() {
        const Snapshot& links = options_.before != nullptr ? *options_.before : found_;
        std::vector<std::string> waiting;
        for (const auto& [path, item] : links) {
            waiting.push_back(path);
        }
        std::set<std::string> done;
        while (!waiting.empty()) {
            std::string path = std::move(waiting.back());
            waiting.pop_back();
            auto link = links.find(path);
            if (link == links.end() || link->second.kind != Item::Kind::Link || !done.insert(path).second) {
                continue;
            }
            Role role = link->second.role;
            if (role != Role::GitPointer && role != Role::KnownPointer && role != Role::PathLink) {
                std::string target = led_to(absolute(path), link->second.content, 0);
                if (!target.empty()) {
                    followed_.push_back(target);
                }
                add_tree(target, role);
                waiting.push_back(target);
            }
        }
    }

    /// Where a link or a setting of the file `from` (absolute) leads, relative to the root. "" when that is out
    /// of the root, or a folder around `from`, which nobody means as settings.
    std::string led_to(const std::string& from, const std::string& text, int hops) {
        bool from_top = !text.empty() && text.front() == '/';
        std::string target = path_normalise(from_top ? text : path_join(path_parent(from), text));
        auto inside = relative({target});
        if (inside.empty() && options_.led_outside != nullptr) {
            options_.led_outside->push_back(target);
        }
        if (inside.empty() || hops > 40 || path_within(from, target)) {
            return "";
        }
        std::string on_the_way;
        for (const std::string& component : path_components(inside[0])) {
            on_the_way += (on_the_way.empty() ? "" : "/") + component;
            if (on_the_way == inside[0]) {
                break;
            }
            Item middle;
            if (link_on_the_way(on_the_way, middle)) {
                add(on_the_way, Role::PathLink);
                std::string rest = inside[0].substr(on_the_way.size() + 1);
                return led_to(absolute(on_the_way), middle.content + "/" + rest, hops + 1);
            }
        }
        return inside[0];
    }

    /// True when `path` counts as a link; after a run: was one before it.
    bool link_on_the_way(const std::string& path, Item& link) const {
        if (options_.before != nullptr) {
            auto known = options_.before->find(path);
            bool was = known != options_.before->end() && known->second.kind == Item::Kind::Link;
            link = was ? known->second : Item{};
            return was;
        }
        bool others_may_change_it = others_ && std::any_of(options_.others->begin(), options_.others->end(),
                                                           [&](const Record& other) {
                                                               return path_within(absolute(path), other.place.root);
                                                           });
        if (others_may_change_it) {
            // A command may have made a link of it; the user's own, that run has followed itself.
            auto known = known_before(*options_.others, absolute(path), Role::PathLink);
            link = known && *known != nullptr ? **known : Item{};
            return link.kind == Item::Kind::Link;
        }
        Fd parent = open_parent(top_, path, false);
        return parent.valid() && read_item(parent.get(), path_name(path), {}, link) &&
               link.kind == Item::Kind::Link;
    }

    /// Tells pointers that lead to a repository which is watched or guarded from all others.
    void settle_pointers(const std::vector<std::string>& repositories) {
        for (auto& [path, item] : found_) {
            if (item.role != Role::GitPointer) {
                continue;
            }
            // To the byte as git reads it: another reading would find another, harmless place.
            std::string text = item.content;
            if (item.kind == Item::Kind::File && lower(path_name(path)) == ".git") {
                constexpr std::string_view kPrefix = "gitdir: ";
                if (text.rfind(kPrefix, 0) != 0) {
                    continue;
                }
                text.erase(0, kPrefix.size());
            }
            while (item.kind == Item::Kind::File && !text.empty() && (text.back() == '\n' || text.back() == '\r')) {
                text.pop_back();
            }
            std::string named =
                !text.empty() && text.front() == '/' ? text : path_join(path_parent(absolute(path)), text);
            std::unique_ptr<char, void (*)(void*)> target(realpath(named.c_str(), nullptr), std::free);
            std::string canonical = target ? target.get() : "";
            // `gitdir` names the worktree's `.git` file, of which git runs nothing.
            bool back = lower(path_name(path)) == "gitdir";
            auto inside = relative({back ? path_normalise(named) : canonical});
            bool guarded = std::find(options_.guarded.begin(), options_.guarded.end(), canonical) !=
                           options_.guarded.end();
            bool watched = !inside.empty() &&
                           (back || std::binary_search(repositories.begin(), repositories.end(), inside[0]));
            if (guarded || watched) {
                item.role = Role::KnownPointer;
            }
        }
    }

    int top_;
    const std::string& root_;
    const SnapshotOptions& options_;
    Snapshot found_;
    std::set<std::string> trees_;
    std::vector<std::string> followed_;
    bool others_ = false;
    Fd parent_;
    std::string parent_path_;
    size_t total_ = 0;
    int64_t fresh_ = 0;
};

}  // namespace

OpenedFolders::~OpenedFolders() {
    // From the bottom up: closing an outer one would shut the inner ones off.
    for (auto folder = folders_.rbegin(); folder != folders_.rend(); ++folder) {
        Fd parent = open_parent(root_, folder->first, false);
        if (parent.valid()) {
            (void)!fchmodat(parent.get(), path_name(folder->first).c_str(), static_cast<mode_t>(folder->second),
                            AT_SYMLINK_NOFOLLOW);
        }
    }
}

SnapshotOptions options_for(const HandoverPlan& plan) {
    SnapshotOptions options;
    options.guarded = plan.git_dirs;
    options.hooks = plan.hooks;
    options.read_only = plan.read_only;
    options.home = plan.home;
    return options;
}

Snapshot take_snapshot(int root_fd, const std::string& root, const SnapshotOptions& options) {
    return Collector(root_fd, root, options).run();
}

}  // namespace sbx::hold
