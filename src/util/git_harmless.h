// Which git settings cannot make git run a program or read other files. One list, for the guards during
// a run and for what is held after it. Pure.
#pragma once

#include <string_view>

#include "util/git_config.h"

namespace sbx {

/// True for identity, branches, remotes with ordinary URLs, and what `git init` writes.
bool is_harmless(const GitConfigEntry& entry);

/// True when the configuration `after` differs from `before` in harmless settings only.
bool only_harmless_changes(std::string_view before, std::string_view after);

}  // namespace sbx
