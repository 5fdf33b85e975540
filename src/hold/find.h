// Finds the entries of one tree that the host runs or obeys, by name alone.
#pragma once

#include <string>
#include <vector>

#include "hold/names.h"
#include "hold/tree.h"

namespace sbx::hold {

/// An entry that counts. A folder that counts as a whole comes with everything below it, one by one.
struct Hit {
    std::string path;  ///< relative to the root
    Role role = Role::Handover;
};

struct Found {
    std::vector<Hit> hits;                  ///< sorted by path
    std::vector<std::string> repositories;  ///< directories that git takes for one, sorted
    TreeResult walk;
};

/// Walks `root`. `own_name`: the name of the root itself. `guarded`: git directories (relative) whose files
/// mounts protect. `passed_over`: directories (relative) that are not looked into.
Found find_handover(int root, const std::string& own_name, const std::vector<std::string>& guarded,
                    const std::vector<std::string>& passed_over, bool force);

}  // namespace sbx::hold
