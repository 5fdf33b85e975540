#include "hold/overlap.h"

#include <algorithm>

#include "hold/rules.h"
#include "util/text.h"

namespace sbx::hold {
namespace {

bool within_any(const std::string& path, const std::vector<std::string>& folders) {
    return std::any_of(folders.begin(), folders.end(),
                       [&](const std::string& folder) { return path_within(path, folder); });
}

bool contains(const std::vector<std::string>& folders, const std::string& path) {
    return std::find(folders.begin(), folders.end(), path) != folders.end();
}

/// The repository whose folder of hooks `path` lies in; "" when that is not below `root`.
std::string repository_of_hook(const std::string& root, const std::string& relative) {
    std::string at = root;
    for (const std::string& component : path_components(relative)) {
        if (lower(component) == "hooks") {
            return at;
        }
        at = path_join(at, component);
    }
    return "";
}

bool in_unread_folder(const Snapshot& files, const std::string& relative) {
    for (size_t end = relative.find('/'); end != std::string::npos; end = relative.find('/', end + 1)) {
        auto folder = files.find(relative.substr(0, end));
        if (folder != files.end() && folder->second.role == Role::Unread) {
            return true;
        }
    }
    return false;
}

}  // namespace

bool looks_at(const View& view, const std::string& path, Role role) {
    if (path == view.root || !path_within(path, view.root) || within_any(path, view.read_only)) {
        return false;
    }
    std::string relative = path.substr(view.root.size() + 1);
    if (in_unread_folder(view.files, relative)) {
        return false;
    }
    if (within_any(path, view.hooks) || within_any(relative, view.followed)) {
        return true;
    }
    std::string folder = path_parent(path);
    std::string name = lower(path_name(path));
    bool in_guarded = contains(view.guarded, folder);
    switch (role) {
        case Role::Handover:
        case Role::Instruction: return !in_guarded && counts_by_name(path_name(view.root), relative);
        case Role::GitConfig: return !in_guarded || name == "config.worktree";
        case Role::GitPointer:
        case Role::KnownPointer: return !in_guarded && !contains(view.guarded, path);
        case Role::GitState: return relative.find('/') != std::string::npos;
        case Role::GitHook: {
            std::string repository = repository_of_hook(view.root, relative);
            return !repository.empty() && !contains(view.guarded, repository);
        }
        default: return false;
    }
}

View view_of(const Record& record) {
    return {record.place.root,     record.plan.git_dirs,       record.plan.hooks,
            record.plan.read_only, record.before.followed, record.before.files};
}

std::optional<const Item*> known_before(const std::vector<Record>& others, const std::string& path, Role role) {
    for (const Record& other : others) {
        if (path == other.place.root || !path_within(path, other.place.root) ||
            within_any(path, other.plan.read_only)) {
            continue;
        }
        Item unknown;
        unknown.role = role;
        auto known = other.before.files.find(path.substr(other.place.root.size() + 1));
        bool was_there = known != other.before.files.end();
        if (!would_be_held(other.plan, was_there ? known->second : unknown)) {
            continue;
        }
        if (was_there) {
            return &known->second;
        }
        if (looks_at(view_of(other), path, role)) {
            return nullptr;
        }
    }
    return std::nullopt;
}

}  // namespace sbx::hold
