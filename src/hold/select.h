// Which held changes a command line means. Pure but for load_selected().
#pragma once

#include <string>
#include <vector>

#include "hold/commands.h"
#include "hold/store.h"

namespace sbx::hold {

/// One run's held changes and those of its paths that are meant.
struct Selected {
    Held held;
    std::vector<std::string> paths;  ///< sorted, relative to held.root
};

/// Oldest first; only runs of which something is meant. Errors: "io", "not_held".
Result<std::vector<Selected>> load_selected(const Selection& selection);

enum class ChangeKind { Created, Changed, Removed };

ChangeKind kind_of_change(const Held& held, const std::string& path);

/// `paths` (sorted) without folders that only hold others of them: for people, the files say it all.
std::vector<std::string> telling_paths(const Held& held, const std::vector<std::string>& paths);

}  // namespace sbx::hold
