// The one list of names that other programs on the host run or obey. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sbx::hold {

enum class Role {
    None,
    Handover,      ///< editors, shells, agents, package managers run or obey it
    Instruction,   ///< agents read it as instructions
    GitConfig,     ///< configuration of a repository that no mount guards
    GitHook,       ///< a hook of such a repository
    GitPointer,    ///< a `.git` file, `commondir` or `gitdir`: where git looks for a repository
    KnownPointer,  ///< one that leads to a repository which is watched itself
    GitState,      ///< what git has not finished: names programs that it runs when it goes on
    PathLink,      ///< a link on the way from one of them to its target
    Unread         ///< a directory that could not be looked into
};

/// What the entry `name` in a directory called `parent` is, whatever its letter case: on macOS and on
/// case-folding file systems `.VSCode` is `.vscode`. A directory stands for everything in it.
Role role_of(std::string_view parent, std::string_view name);

/// The names of Role::Handover and Role::Instruction as tools spell them, some with the folder they must
/// be in: for a rule that has to name what does not exist yet. Without those in folders that hold other things
/// too (`.yarn/releases`): where such a rule forbids the folder, honest work would fail.
std::vector<std::string> handover_paths();
std::vector<std::string> instruction_paths();

/// Folders in which some names count, such as `.cargo`: a link in the place of one leads there.
bool may_hold_handover(std::string_view name);

/// True when the entry at `path` (relative), or a folder that it lies in, has a name that counts as a hand-over
/// file or instruction. `root_name`: of the folder that `path` starts in, which counts only as a parent.
bool counts_by_name(std::string_view root_name, const std::string& path);

/// Folders in which agents keep whole worktrees: projects of their own, not settings.
bool keeps_worktrees(std::string_view parent, std::string_view name);

/// Folders of installed dependencies: only the git entries in them count.
bool is_dependency_folder(std::string_view name);

}  // namespace sbx::hold
