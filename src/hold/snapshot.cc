#include "hold/snapshot.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

#include "hold/files.h"
#include "util/text.h"

namespace sbx::hold {
namespace {

constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr size_t kLargestTotal = size_t{512} << 20;
constexpr int kDeepest = 4000;

struct Entry {
    std::string name;
    unsigned char type;
};

class Collector {
  public:
    Collector(const std::string& root, const std::vector<std::string>& guarded, const std::vector<std::string>& hooks)
        : root_(root), guarded_(guarded), hooks_(hooks) {}

    Result<Snapshot> run() {
        Fd directory(open(root_.c_str(), kDirectory));
        if (!directory.valid()) {
            return Error{"io", printable_line(root_) + ": " + std::strerror(errno), ""};
        }
        top_ = directory.get();
        walk(directory.get(), "", path_name(root_), false, 0);
        for (const std::string& path : hooks_) {
            add_path(path, Role::Handover);
        }
        follow_links();
        if (total_ > kLargestTotal) {
            return Error{"oversized", "the files that the host obeys hold more than 512 MiB (guards.handover)",
                         "guards.handover = \"protect\" makes them read-only instead"};
        }
        return std::move(found_);
    }

  private:
    std::string absolute(const std::string& relative) const {
        return relative.empty() ? root_ : path_join(root_, relative);
    }

    static std::string joined(const std::string& relative, const std::string& name) {
        return relative.empty() ? name : relative + "/" + name;
    }

    static std::vector<Entry> list(int directory) {
        std::vector<Entry> entries;
        int copy = fcntl(directory, F_DUPFD_CLOEXEC, 0);
        DIR* stream = copy < 0 ? nullptr : fdopendir(copy);
        if (stream == nullptr) {
            if (copy >= 0) {
                close(copy);
            }
            return entries;
        }
        rewinddir(stream);
        while (dirent* entry = readdir(stream)) {
            const char* name = entry->d_name;
            bool dots = name[0] == '.' && (name[1] == 0 || (name[1] == '.' && name[2] == 0));
            if (!dots) {
                entries.push_back({name, entry->d_type});
            }
        }
        closedir(stream);
        return entries;
    }

    void add(int directory, const std::string& relative, const std::string& name, Role role) {
        Item item;
        if (!read_item(directory, name, item)) {
            if (errno == ENOENT) {
                return;
            }
            item.kind = Item::Kind::Other;  // cannot be read: by the host neither, but it is not the same
        }
        item.role = role;
        total_ += item.content.size();
        if (item.kind == Item::Kind::Link) {
            links_.insert(joined(relative, name));
        }
        found_[joined(relative, name)] = std::move(item);
    }

    /// Everything below a directory that counts as a whole.
    void add_tree(int directory, const std::string& relative, const std::string& name, Role role, int depth) {
        add(directory, relative, name, role);
        Fd inner(openat(directory, name.c_str(), kDirectory));
        if (!inner.valid() || depth > kDeepest) {
            return;
        }
        std::string below = joined(relative, name);
        for (const Entry& entry : list(inner.get())) {
            add_tree(inner.get(), below, entry.name, role, depth + 1);
        }
    }

    static bool has(const std::vector<Entry>& entries, std::string_view name) {
        return std::any_of(entries.begin(), entries.end(), [&](const Entry& entry) { return lower(entry.name) == name; });
    }

    /// What git takes for a repository, or for the common directory of one. A planted one has its own
    /// configuration, which runs programs.
    static bool looks_like_repository(const std::vector<Entry>& entries) {
        return (has(entries, "objects") && has(entries, "refs")) || (has(entries, "head") && has(entries, "commondir"));
    }

    bool is_guarded(const std::string& relative) const {
        std::string path = absolute(relative);
        return std::find(guarded_.begin(), guarded_.end(), path) != guarded_.end();
    }

    void add_repository(int directory, const std::string& relative, const std::vector<Entry>& entries) {
        for (const Entry& entry : entries) {
            std::string name = lower(entry.name);
            if (name == "config" || name == "config.worktree") {
                add(directory, relative, entry.name, Role::GitConfig);
            } else if (name == "commondir" || name == "gitdir") {
                add(directory, relative, entry.name, Role::GitPointer);
            } else if (name == "hooks") {
                add_hooks(directory, relative, entry.name);
            }
        }
    }

    void add_hooks(int directory, const std::string& relative, const std::string& name) {
        Fd hooks(openat(directory, name.c_str(), kDirectory));
        if (!hooks.valid()) {
            add(directory, relative, name, Role::GitHook);  // a link or a file in its place
            return;
        }
        std::string below = joined(relative, name);
        for (const Entry& entry : list(hooks.get())) {
            bool sample = entry.name.size() > 7 && entry.name.compare(entry.name.size() - 7, 7, ".sample") == 0;
            if (!sample) {
                add_tree(hooks.get(), below, entry.name, Role::GitHook, 0);
            }
        }
    }

    void walk(int directory, const std::string& relative, const std::string& own_name, bool dependencies, int depth) {
        if (depth > kDeepest) {
            return;
        }
        std::vector<Entry> entries = list(directory);
        bool repository = looks_like_repository(entries);
        if (repository && !is_guarded(relative)) {
            add_repository(directory, relative, entries);
        }
        for (const Entry& entry : entries) {
            const std::string& name = entry.name;
            if (repository && (name == "objects" || name == "refs" || name == "logs" || name == "lfs")) {
                continue;
            }
            if (!dependencies && !repository) {
                Role role = role_of(own_name, name);
                if (role != Role::None) {
                    add_tree(directory, relative, name, role, depth);
                    continue;
                }
            }
            bool maybe_directory = entry.type == DT_DIR || entry.type == DT_UNKNOWN;
            if (!maybe_directory) {
                if (entry.type != DT_DIR && lower(name) == ".git" && !is_guarded(joined(relative, name))) {
                    add(directory, relative, name, Role::GitPointer);
                }
                continue;
            }
            Fd inner(openat(directory, name.c_str(), kDirectory));
            if (inner.valid()) {
                walk(inner.get(), joined(relative, name), name, dependencies || is_dependency_folder(name), depth + 1);
            }
        }
    }

    /// A hand-over name that is a link: what the host obeys is its target, which counts too when it lies
    /// in this root.
    void follow_links() {
        std::set<std::string> done;
        while (!links_.empty()) {
            std::string link = *links_.begin();
            links_.erase(links_.begin());
            if (!done.insert(link).second || found_[link].role == Role::GitHook) {
                continue;
            }
            const std::string& text = found_[link].content;
            std::string target = path_normalise(
                !text.empty() && text.front() == '/' ? text : path_join(path_parent(absolute(link)), text));
            add_path(target, found_[link].role);
        }
    }

    void add_path(const std::string& path, Role role) {
        if (!path_within(path, root_) || path == root_) {
            return;
        }
        std::string relative = path.substr(root_.size() + 1);
        Fd parent = open_parent(top_, relative, false);
        if (parent.valid() && found_.count(relative) == 0) {
            size_t slash = relative.rfind('/');
            std::string around = slash == std::string::npos ? "" : relative.substr(0, slash);
            add_tree(parent.get(), around, path_name(relative), role, 0);
        }
    }

    const std::string& root_;
    const std::vector<std::string>& guarded_;
    const std::vector<std::string>& hooks_;
    int top_ = -1;
    Snapshot found_;
    std::set<std::string> links_;
    size_t total_ = 0;
};

}  // namespace

Result<Snapshot> take_snapshot(const std::string& root, const std::vector<std::string>& guarded,
                               const std::vector<std::string>& hooks) {
    return Collector(root, guarded, hooks).run();
}

}  // namespace sbx::hold
