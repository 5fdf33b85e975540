#include "host/grants_scan.h"

#include <algorithm>

#include "hold/names.h"
#include "host/gather.h"
#include "host/resolve.h"
#include "policy/zones.h"
#include "util/text.h"

namespace sbx {
namespace {

bool runs_without_sandbox(const Policy& policy) {
    bool bypass = policy.mode.value == Mode::Bypass && !policy.tainted.value && policy.trust.value == Trust::Owner;
    return bypass || policy.backend.value == BackendChoice::Native;
}

/// Compiled Python holds no secrets that its sources do not hold.
bool is_dependency_folder(std::string_view name) {
    return hold::is_dependency_folder(name) || name == "__pycache__";
}

bool is_handover(std::string_view name, std::string_view parent, bool /*is_directory*/, bool in_dependencies) {
    return !in_dependencies && hold::role_of(parent, name) != hold::Role::None;
}

class Roots {
  public:
    Roots(const Policy& policy, const HostFacts& facts) : policy_(policy), facts_(facts) {}

    void add_worktree() {
        bool named = policy_.worktree.has_value();
        std::string path = named        ? resolved(*policy_.worktree)
                           : facts_.git ? facts_.git->top_level
                                        : facts_.cwd;
        const Origin& origin = named ? policy_.worktree->origin : Origin::built_in();
        if (check_worktree(policy_, facts_, path, origin)) {
            roots_.push_back({path, !policy_.worktree_read_only.value});
        }
    }

    void add(const std::vector<PathEntry>& entries, PathUse use) {
        for (const PathEntry& entry : entries) {
            auto found = facts_.paths.find(expand_path(entry, facts_));
            bool directory = found != facts_.paths.end() && found->second.kind == FileKind::Directory;
            if (directory && check_grant(policy_, facts_, entry, use)) {
                roots_.push_back({found->second.resolved, use == PathUse::Write});
            }
        }
    }

    /// Without those that lie in another one which is searched for the same or more.
    std::vector<ScanRoot> outermost() const {
        std::vector<ScanRoot> kept;
        for (size_t i = 0; i < roots_.size(); ++i) {
            const ScanRoot& root = roots_[i];
            bool covered = false;
            for (size_t j = 0; j < roots_.size() && !covered; ++j) {
                const ScanRoot& other = roots_[j];
                bool same = other.path == root.path && other.writable == root.writable;
                covered = j != i && path_within(root.path, other.path) && other.writable >= root.writable &&
                          (!same || j < i);
            }
            if (!covered) {
                kept.push_back(root);
            }
        }
        return kept;
    }

  private:
    std::string resolved(const PathEntry& entry) const {
        std::string path = expand_path(entry, facts_);
        auto found = facts_.paths.find(path);
        return found == facts_.paths.end() ? path : found->second.resolved;
    }

    const Policy& policy_;
    const HostFacts& facts_;
    std::vector<ScanRoot> roots_;
};

}  // namespace

Result<void> scan_grants(const Policy& policy, HostFacts& facts) {
    if (runs_without_sandbox(policy)) {
        return {};
    }
    Roots roots(policy, facts);
    roots.add_worktree();
    roots.add(policy.write_paths, PathUse::Write);
    roots.add(policy.read_paths, PathUse::Read);
    if (policy.repo_root) {
        roots.add({*policy.repo_root}, PathUse::Read);
    }
    ScanRequest request;
    request.roots = roots.outermost();
    request.zones = policy.zones;
    request.limits = policy.scan;
    request.is_dependency_folder = is_dependency_folder;
    request.is_handover = is_handover;
    if (facts.git) {
        request.own_entry = facts.git->entry;
    }
    if (facts.git && facts.git->trusted) {
        request.index = path_join(facts.git->git_dir, "index");
        request.top_level = facts.git->top_level;
    }
    SBX_ASSIGN(facts.scan, scan_roots(request));
    return {};
}

ScanFacts scan_vm_folders(const Policy& policy, const HostFacts& facts) {
    ScanRequest request;
    for (const VmFolder& folder : policy.vm.folders) {
        PathFacts found = look_at(expand_path(folder.path, facts));
        if (found.kind == FileKind::Directory) {
            request.roots.push_back({found.resolved, false});
        }
    }
    request.zones = policy.zones;
    request.limits = policy.scan;
    request.limits.on_limit.value = ScanLimit::Note;
    request.is_dependency_folder = is_dependency_folder;
    auto found = scan_roots(request);
    return found ? std::move(*found) : ScanFacts{};
}

}  // namespace sbx
