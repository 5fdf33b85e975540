// What of /etc is not for everybody. Only root can read it, so only a sandbox of root has to hide it.
#pragma once

#include <string>
#include <vector>

namespace sbx {

/// Entries of `etc` and of the directories in it where keys and passwords are kept, that other users may
/// not read. A directory has '/' at its end. Sorted.
std::vector<std::string> not_for_everybody(const std::string& etc);

}  // namespace sbx
