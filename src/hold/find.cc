#include "hold/find.h"

#include <algorithm>
#include <deque>

#include "hold/git_state.h"
#include "util/text.h"

namespace sbx::hold {
namespace {

// Bits of a directory; the role of a folder that counts as a whole is kept above them.
constexpr uint32_t kDependencies = 1;
constexpr uint32_t kHooks = 2;  ///< of a repository: samples do not count
constexpr uint32_t kGitState = 4;  ///< folders of a repository in which git keeps what it has not finished
constexpr uint32_t kRoleShift = 8;

/// What makes git take a directory for a repository.
constexpr uint32_t kHead = 1;
constexpr uint32_t kObjects = 2;
constexpr uint32_t kRefs = 4;
constexpr uint32_t kCommonDir = 8;

uint32_t sign_of(std::string_view name) {
    switch (name.front() | 0x20) {
        case 'h': return name.size() == 4 && lower(name) == "head" ? kHead : 0;
        case 'o': return name.size() == 7 && lower(name) == "objects" ? kObjects : 0;
        case 'r': return name.size() == 4 && lower(name) == "refs" ? kRefs : 0;
        case 'c': return name.size() == 9 && lower(name) == "commondir" ? kCommonDir : 0;
        default: return 0;
    }
}

/// A repository's own files that make it run programs, or that lead it elsewhere.
Role git_role_of(std::string_view name) {
    char first = static_cast<char>(name.front() | 0x20);
    if ((first != 'c' && first != 'g') || name.size() < 5 || name.size() > 15) {
        return Role::None;
    }
    std::string folded = lower(name);
    return folded == "config" || folded == "config.worktree" ? Role::GitConfig
           : folded == "commondir" || folded == "gitdir"     ? Role::GitPointer
                                                             : Role::None;
}

bool is_git_name(std::string_view name) {
    return name.size() == 4 && name[0] == '.' && lower(name) == ".git";
}

bool is_sample(std::string_view name) {
    return name.size() > 7 && name.substr(name.size() - 7) == ".sample";
}

template <typename Names>
bool among(const Names& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

class Finder : public TreeVisitor {
  public:
    Finder(const std::string& own_name, const std::vector<std::string>& guarded,
           const std::vector<std::string>& passed_over)
        : own_name_(own_name), guarded_(guarded), passed_over_(passed_over) {}

    void enter(std::string_view path, uint32_t bits) override {
        close();
        open_ = true;
        path_ = path;
        size_t slash = path_.rfind('/');
        name_ = path_.empty()                ? std::string_view(own_name_)
                : slash == std::string::npos ? std::string_view(path_)
                                             : std::string_view(path_).substr(slash + 1);
        bits_ = bits;
        whole_ = static_cast<Role>(bits >> kRoleShift);
        signs_ = 0;
        first_ = hits.size();
        listed_.clear();
        git_files_.clear();
    }

    void entry(std::string_view name, FileKind kind) override {
        bool directory = kind == FileKind::Directory;
        if (whole_ != Role::None) {
            if (!((bits_ & kHooks) != 0 && is_sample(name)) && !keeps_worktrees(name_, name)) {
                hits.push_back({joined(name), whole_});
            }
            return;
        }
        if ((bits_ & kGitState) != 0 && is_git_state(lower(name_), lower(name))) {
            hits.push_back({joined(name), Role::GitState});
            return;
        }
        signs_ |= sign_of(name);
        if (Role role = git_role_of(name); role != Role::None) {
            git_files_.push_back({joined(name), role});
        }
        if (!directory && name.size() == 5 && lower(name) == "hooks") {
            git_files_.push_back({joined(name), Role::GitHook});  // a link in its place
        }
        if (is_git_name(name)) {
            if (!directory && !among(guarded_, joined(name))) {
                hits.push_back({joined(name), Role::GitPointer});
            }
            return;
        }
        if ((bits_ & kDependencies) == 0) {
            Role role = role_of(name_, name);
            if (role == Role::None && kind == FileKind::Symlink && may_hold_handover(name)) {
                role = Role::Handover;
            }
            if (role != Role::None) {
                hits.push_back({joined(name), role});
                if (directory) {
                    listed_.emplace_back(name, role);
                }
            }
        }
    }

    bool descend(std::string_view name, uint32_t& bits) override {
        close();
        if (!passed_over_.empty() && among(passed_over_, joined(name))) {
            return false;
        }
        bits = bits_ & kDependencies;
        if (whole_ != Role::None) {
            bits = keeps_worktrees(name_, name) ? 0 : bits_;
            return true;
        }
        if (repository_ && name.size() >= 9 && (lower(name) == "rebase-merge" || lower(name) == "sequencer")) {
            bits |= kGitState;
        }
        if (repository_ && is_guarded_) {
            // Nothing that git obeys; a pointer into them counts as leading out.
            return name != "objects" && name != "refs" && name != "logs" && name != "lfs";
        }
        if (repository_ && lower(name) == "hooks") {
            bits = kHooks | (static_cast<uint32_t>(Role::GitHook) << kRoleShift);
            return true;
        }
        for (const auto& [listed, role] : listed_) {
            if (listed == name) {
                bits |= static_cast<uint32_t>(role) << kRoleShift;
            }
        }
        if (is_dependency_folder(name)) {
            bits |= kDependencies;
        }
        return true;
    }

    /// What can be told only when all entries of a directory were seen.
    void close() {
        if (!open_) {
            return;
        }
        open_ = false;
        repository_ = (signs_ & kHead) != 0 &&
                      ((signs_ & kCommonDir) != 0 || (signs_ & (kObjects | kRefs)) == (kObjects | kRefs));
        if (!repository_) {
            return;
        }
        repositories.push_back(path_);
        is_guarded_ = among(guarded_, path_);
        if (is_guarded_) {
            hits.resize(first_);  // names in it are git's own
            listed_.clear();
            // What was not there is covered by no mount; git obeys it once extensions.worktreeConfig is set.
            git_files_.erase(std::remove_if(git_files_.begin(), git_files_.end(), [](const Hit& hit) {
                return lower(hit.path.substr(hit.path.rfind('/') + 1)) != "config.worktree";
            }), git_files_.end());
        }
        // Else anybody may have given a folder the looks of a repository: its other names count as before.
        hits.insert(hits.end(), git_files_.begin(), git_files_.end());
    }

    std::vector<Hit> hits;
    std::vector<std::string> repositories;

  private:
    std::string joined(std::string_view name) const {
        return path_.empty() ? std::string(name) : path_ + "/" + std::string(name);
    }

    const std::string& own_name_;
    const std::vector<std::string>& guarded_;
    const std::vector<std::string>& passed_over_;
    std::string path_;
    std::string_view name_;
    bool open_ = false;
    uint32_t bits_ = 0;
    Role whole_ = Role::None;
    uint32_t signs_ = 0;
    bool repository_ = false;
    bool is_guarded_ = false;
    size_t first_ = 0;                                  ///< first hit of this directory
    std::vector<std::pair<std::string, Role>> listed_;  ///< subdirectories that count as a whole
    std::vector<Hit> git_files_;                        ///< counts if this is a repository
};

}  // namespace

Found find_handover(int root, const std::string& own_name, const std::vector<std::string>& guarded,
                    const std::vector<std::string>& passed_over, bool force) {
    std::deque<Finder> finders;
    TreeOptions options;
    options.force = force;
    Found found;
    found.walk = walk_tree(root, options, [&]() -> TreeVisitor& {
        return finders.emplace_back(own_name, guarded, passed_over);
    });
    for (Finder& finder : finders) {
        finder.close();
        found.hits.insert(found.hits.end(), std::make_move_iterator(finder.hits.begin()),
                          std::make_move_iterator(finder.hits.end()));
        found.repositories.insert(found.repositories.end(), finder.repositories.begin(),
                                  finder.repositories.end());
    }
    std::sort(found.hits.begin(), found.hits.end(),
              [](const Hit& a, const Hit& b) { return a.path < b.path; });
    std::sort(found.repositories.begin(), found.repositories.end());
    return found;
}

}  // namespace sbx::hold
