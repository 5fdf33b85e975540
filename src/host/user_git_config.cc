#include "host/user_git_config.h"

#include <dirent.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "host/resolve.h"
#include "util/git_config.h"
#include "util/text.h"

namespace sbx {
namespace {

constexpr size_t kMaxFile = 1 << 20;
constexpr int kIncludeDepth = 10;   // as git
constexpr size_t kMaxIncludes = 1000;

// Keys whose values neither name a program or a file nor say where to connect. commit.gpgsign is not one:
// the keys that it needs are not inside, so every commit would fail.
constexpr std::array<std::string_view, 31> kHarmless = {
    "user.name", "user.email", "author.name", "author.email", "committer.name", "committer.email",
    "init.defaultbranch", "core.autocrlf", "core.eol", "core.safecrlf", "core.quotepath", "core.abbrev",
    "core.whitespace", "pull.rebase", "pull.ff", "merge.ff", "merge.conflictstyle", "rebase.autosquash",
    "rebase.autostash", "push.default", "fetch.prune", "color.ui", "color.diff", "color.status",
    "color.branch", "i18n.commitencoding", "i18n.logoutputencoding", "diff.algorithm", "diff.renames",
    "log.date", "status.showuntrackedfiles"};

std::vector<GitConfigEntry> entries_of(const std::string& path) {
    // Through links: a home's dotfiles are often links into a folder of their own.
    auto real = real_path(path);
    auto text = real ? small_file(*real, kMaxFile) : std::nullopt;
    if (!text) {
        return {};
    }
    auto entries = parse_git_config(*text);
    return entries.ok() ? std::move(entries.value()) : std::vector<GitConfigEntry>{};
}

/// A path as git's configuration spells it; "" for another user's home, which sbx does not look up.
std::string resolved(const std::string& text, const std::string& base, const HostFacts& facts) {
    if (text.empty()) {
        return "";
    }
    if (text.front() == '~') {
        bool own = !facts.home.empty() && (text.size() == 1 || text[1] == '/');
        return own ? path_normalise(facts.home + text.substr(1)) : "";
    }
    return path_normalise(text.front() == '/' ? text : path_join(base, text));
}

/// What the user's own configuration is in, least important first.
std::vector<std::string> user_files(const HostFacts& facts) {
    if (facts.home.empty()) {
        return {};
    }
    const std::string* configured = facts.variable("XDG_CONFIG_HOME");
    bool usable = configured != nullptr && !configured->empty() && configured->front() == '/';
    std::string config = usable ? *configured : path_join(facts.home, ".config");
    return {path_join(config, "git/config"), path_join(facts.home, ".gitconfig")};
}

class RepositoryConfig {
  public:
    /// `top_level`: where git looks for a relative core.hooksPath.
    RepositoryConfig(GitFacts& git, HostFacts& facts, std::string top_level)
        : git_(git), facts_(facts), top_level_(std::move(top_level)) {}

    /// What is left out would be open to the command.
    Result<void> complete() const {
        return too_many_ ? Result<void>(Error{"setup_failed", "git's configuration of this repository leads to more than " +
                                                                  std::to_string(kMaxIncludes) + " other files",
                                              "sbx guards each of them: include fewer"})
                         : Result<void>();
    }

    void read(const std::string& file, int depth) {
        for (const GitConfigEntry& entry : entries_of(file)) {
            if (git_config_key(entry) == "extensions.worktreeconfig") {
                git_.worktree_config = true;  // whatever the value: it only costs a mount
            }
            if (!entry.value) {
                continue;
            }
            bool include = entry.name == "path" && (entry.section == "include" || entry.section == "includeif");
            if (entry.section == "core" && !entry.subsection && entry.name == "hookspath") {
                // git looks from the directory that hooks run in: the top level.
                note(resolved(*entry.value, top_level_, facts_), git_.hooks_paths);
            } else if (include) {
                std::string path = resolved(*entry.value, path_parent(file), facts_);
                if (note(path, git_.includes) && depth > 0) {
                    read(path, depth - 1);
                }
                if (!path.empty() && kind_of(path) == FileKind::Missing) {
                    note(path, git_.hooks_paths);  // nothing to mount on: what the command makes there is held
                }
            }
        }
    }

  private:
    /// True when `path` is new.
    bool note(const std::string& path, std::vector<std::string>& list) {
        if (path.empty() || std::find(list.begin(), list.end(), path) != list.end()) {
            return false;
        }
        if (list.size() >= kMaxIncludes) {
            too_many_ = true;
            return false;
        }
        list.push_back(path);
        facts_.paths[path] = look_at(path);
        return true;
    }

    GitFacts& git_;
    HostFacts& facts_;
    std::string top_level_;
    bool too_many_ = false;
};

/// A hook that is a link is as good as the script that it leads to.
void note_hook_links(const std::string& hooks, GitFacts& git, HostFacts& facts) {
    std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir(hooks.c_str()), closedir);
    for (dirent* entry = nullptr; directory && (entry = readdir(directory.get())) != nullptr;) {
        std::string path = path_join(hooks, entry->d_name);
        if (entry->d_type == DT_DIR || entry->d_type == DT_REG || kind_of(path) != FileKind::Symlink) {
            continue;
        }
        // Also what is not there yet.
        std::string text = link_text(path);
        std::string target = real_path(path).value_or(
            path_normalise(!text.empty() && text.front() == '/' ? text : path_join(hooks, text)));
        git.hooks_paths.push_back(target);
        facts.paths[target] = look_at(target);
    }
}

/// Of a submodule: the folder that its repository is checked out in.
std::string checked_out_in(const std::string& directory) {
    for (const GitConfigEntry& entry : entries_of(path_join(directory, "config"))) {
        if (git_config_key(entry) == "core.worktree" && entry.value && !entry.value->empty()) {
            return path_normalise(entry.value->front() == '/' ? *entry.value : path_join(directory, *entry.value));
        }
    }
    return directory;
}

}  // namespace

Variables read_identity(const HostFacts& facts) {
    Variables kept;
    for (const std::string& file : user_files(facts)) {
        for (GitConfigEntry& entry : entries_of(file)) {
            std::string key = git_config_key(entry);
            if (std::find(kHarmless.begin(), kHarmless.end(), key) == kHarmless.end()) {
                continue;
            }
            kept.erase(std::remove_if(kept.begin(), kept.end(), [&](const auto& other) { return other.first == key; }),
                       kept.end());
            kept.emplace_back(key, entry.value.value_or("true"));
        }
    }
    return kept;
}

Result<void> read_repository_config(GitFacts& git, HostFacts& facts) {
    git.worktree_config = false;
    RepositoryConfig config(git, facts, git.top_level);
    config.read(path_join(git.common_dir, "config"), kIncludeDepth);
    config.read(path_join(git.common_dir, "config.worktree"), kIncludeDepth);
    if (git.git_dir != git.common_dir) {
        config.read(path_join(git.git_dir, "config.worktree"), kIncludeDepth);
    }
    config.read("/etc/gitconfig", kIncludeDepth);
    for (const std::string& file : user_files(facts)) {
        config.read(file, kIncludeDepth);
    }
    for (const GitDirectory& directory : facts.git_directories) {
        note_hook_links(path_join(directory.path, "hooks"), git, facts);
        if (directory.path != git.common_dir && path_parent(directory.path) != path_join(git.common_dir, "worktrees")) {
            RepositoryConfig submodule(git, facts, checked_out_in(directory.path));
            submodule.read(path_join(directory.path, "config"), kIncludeDepth);
            SBX_CHECK(submodule.complete());
        }
    }
    return config.complete();
}

}  // namespace sbx
