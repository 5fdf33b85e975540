#include "host/git.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>

#include "host/resolve.h"
#include "util/git_config.h"
#include "util/text.h"

namespace sbx {
namespace {

constexpr size_t kPointerFileLimit = 8192;
constexpr size_t kConfigLimit = 1 << 20;
constexpr int kModuleDepth = 16;

// Everything in a git directory that makes git run a program or look for its configuration elsewhere.
constexpr std::array<const char*, 6> kGuardedNames = {"config", "config.worktree", "hooks", "commondir",
                                                      "gitdir", "info/attributes"};

std::string trimmed(std::string text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) {
        text.pop_back();
    }
    return text;
}

/// Canonical target of a one-line pointer file, relative to `base`; "" when it leads nowhere.
std::string pointer(const std::string& file, const std::string& prefix, const std::string& base) {
    auto content = small_file(file, kPointerFileLimit);
    if (!content || content->rfind(prefix, 0) != 0) {
        return "";
    }
    std::string text = trimmed(content->substr(prefix.size()));
    if (text.empty()) {
        return "";
    }
    return real_path(text.front() == '/' ? text : path_join(base, text)).value_or("");
}

bool is_git_directory(const std::string& path) {
    return kind_of(path_join(path, "HEAD")) != FileKind::Missing &&
           (kind_of(path_join(path, "objects")) == FileKind::Directory ||
            kind_of(path_join(path, "commondir")) == FileKind::File);
}

bool owned_by_caller(const std::string& path) {
    struct stat status {};
    return stat(path.c_str(), &status) == 0 && status.st_uid == geteuid();
}

std::vector<std::string> subdirectories(const std::string& path) {
    std::vector<std::string> names;
    std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir(path.c_str()), closedir);
    while (directory) {
        dirent* entry = readdir(directory.get());
        if (entry == nullptr) {
            break;
        }
        std::string name = entry->d_name;
        if (name != "." && name != ".." && kind_of(path_join(path, name)) == FileKind::Directory) {
            names.push_back(std::move(name));
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

void read_pointer_file(GitFacts& git) {
    git.git_dir = pointer(git.entry, "gitdir: ", git.top_level);
    if (git.git_dir.empty()) {
        return;
    }
    std::string common = pointer(path_join(git.git_dir, "commondir"), "", git.git_dir);
    git.linked_worktree = !common.empty() && common != git.git_dir;
    git.common_dir = git.linked_worktree ? common : git.git_dir;
    if (git.linked_worktree) {
        // A `.git` file is the command's to write: it counts only when the repository it names says,
        // in turn, that this is its worktree.
        std::string back = pointer(path_join(git.git_dir, "gitdir"), "", git.git_dir);
        bool inside = path_parent(git.git_dir) == path_join(git.common_dir, "worktrees");
        git.trusted = inside && back == git.entry && owned_by_caller(git.common_dir) && owned_by_caller(git.git_dir);
    }
}

/// A `.git` file or link is the command's to make, and would open any other repository to the next run.
/// Inside the worktree it gains nothing; outside, the directory must say itself that this is its
/// worktree, as git makes it say for submodules.
bool belongs_to(const GitFacts& git) {
    if (!is_git_directory(git.git_dir)) {
        return false;
    }
    if (path_within(git.git_dir, git.top_level)) {
        return true;
    }
    auto text = small_file(path_join(git.git_dir, "config"), kConfigLimit);
    auto entries = parse_git_config(text.value_or(""));
    std::string worktree;
    for (const GitConfigEntry& entry : entries.ok() ? *entries : std::vector<GitConfigEntry>()) {
        if (git_config_key(entry) == "core.worktree") {
            worktree = entry.value.value_or("");
        }
    }
    if (worktree.empty() || !owned_by_caller(git.git_dir)) {
        return false;
    }
    return real_path(worktree.front() == '/' ? worktree : path_join(git.git_dir, worktree)) == git.top_level;
}

/// What a run before this one put there, see guard_git.cc, and could not remove. git itself never writes
/// either, so to treat it as missing loses nothing.
bool is_stand_in(const std::string& path, const std::string& name) {
    if (name != "commondir" && name != "config.worktree") {
        return false;
    }
    auto content = small_file(path_join(path, name), kPointerFileLimit);
    return content && *content == (name == "commondir" ? ".\n" : "");
}

GitDirectory guarded(const std::string& path) {
    GitDirectory directory;
    directory.path = path;
    for (const char* name : kGuardedNames) {
        FileKind kind = kind_of(path_join(path, name));
        if (kind == FileKind::Missing || (kind == FileKind::File && is_stand_in(path, name))) {
            directory.missing.emplace_back(name);
        } else {
            directory.existing.emplace_back(name);
            directory.kinds.push_back(kind);
        }
    }
    return directory;
}

void add_modules(const std::string& path, int depth, std::vector<GitDirectory>& out) {
    for (const auto& name : subdirectories(path)) {
        std::string child = path_join(path, name);
        if (is_git_directory(child)) {
            out.push_back(guarded(child));
            if (depth > 0) {
                add_modules(path_join(child, "modules"), depth - 1, out);
            }
        } else if (depth > 0) {
            add_modules(child, depth - 1, out);  // a submodule named "libs/sub"
        }
    }
}

}  // namespace

std::optional<GitFacts> find_repository(const std::string& directory, const std::string& home) {
    for (std::string at = directory;; at = path_parent(at)) {
        if (at == "/" || (!home.empty() && path_within(home, at))) {
            return std::nullopt;
        }
        GitFacts git;
        git.top_level = at;
        git.entry = path_join(at, ".git");
        FileKind kind = kind_of(git.entry);
        git.entry_is_link = kind == FileKind::Symlink;
        if (kind == FileKind::File) {
            git.entry_is_file = true;
            read_pointer_file(git);
        } else if (kind == FileKind::Directory || kind == FileKind::Symlink) {
            git.git_dir = real_path(git.entry).value_or("");
            git.common_dir = git.git_dir;
        }
        if (!git.linked_worktree) {
            git.trusted = !git.git_dir.empty() && belongs_to(git);
        }
        if (!git.git_dir.empty() && is_git_directory(git.git_dir)) {
            git.writable = access(git.common_dir.c_str(), W_OK) == 0;
            git.has_alternates =
                kind_of(path_join(git.common_dir, "objects/info/alternates")) != FileKind::Missing;
            return git;
        }
    }
}

std::vector<GitDirectory> guarded_git_directories(const GitFacts& git) {
    std::vector<GitDirectory> out;
    out.push_back(guarded(git.common_dir));
    add_modules(path_join(git.common_dir, "modules"), kModuleDepth, out);
    std::string worktrees = path_join(git.common_dir, "worktrees");
    for (const auto& name : subdirectories(worktrees)) {
        std::string path = path_join(worktrees, name);
        out.push_back(guarded(path));
        add_modules(path_join(path, "modules"), kModuleDepth, out);
    }
    std::sort(out.begin(), out.end(),
              [](const GitDirectory& a, const GitDirectory& b) { return a.path < b.path; });
    return out;
}

}  // namespace sbx
