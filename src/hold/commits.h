// What the user had committed before a run: files that are the same as there are the user's own, however
// the command put them in place (`git checkout` of another branch).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "hold/snapshot.h"
#include "util/result.h"

namespace sbx::hold {

/// Object ids that the refs of a repository point to, HEAD first, each once. Reads files; runs nothing.
/// `git_dir`: "" when there is none.
std::vector<std::string> ref_tips(const std::string& git_dir, const std::string& common_dir);

/// Tips that appeared while a run was live: what is in them, the command may have committed. Kept in the
/// state directory, one file for each repository, so that a later run does not take them for the user's.
std::vector<std::string> doubtful_tips(const std::string& state_directory, const std::string& common_dir);
Result<void> add_doubtful_tips(const std::string& state_directory, const std::string& common_dir,
                               const std::vector<std::string>& tips);

struct Candidate {
    std::string path;               ///< relative to the repository's top level
    const Item* item = nullptr;     ///< file or link; nullptr: there is nothing now
    const Item* before = nullptr;   ///< what there was before the run; nullptr: nothing
};

/// Runs `git cat-file --batch` in a sandbox with this input; its output.
using CatFile = std::function<Result<std::string>(const std::string& requests)>;

/// For each candidate: one of the commits `tips` has exactly that there. For one that is gone: a commit had
/// what there was, so that nothing is lost, and another had nothing there. Every object that git gives out is
/// checked against its id, so a changed object store, and git itself, can only make it say no.
std::vector<bool> committed(const std::vector<Candidate>& candidates, const std::vector<std::string>& tips,
                            const CatFile& cat_file);

}  // namespace sbx::hold
