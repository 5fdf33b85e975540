// What an operation that git has not finished (rebase, cherry-pick) makes git run when somebody on the host
// continues it. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sbx::hold {

/// True for the files of `folder` ("rebase-merge", "sequencer") that can name a program.
bool is_git_state(std::string_view folder, std::string_view name);

/// `after` without what names a program that `before` does not name; nullopt when there is nothing of the kind.
/// `name`: of the file. "" as a result: nothing of it can stay.
std::optional<std::string> disarmed_git_state(std::string_view name, std::string_view before, std::string_view after);

}  // namespace sbx::hold
