// Runs that are live at the same time in folders of which one lies in the other, or with different policies
// in one folder. Each would take what another's command planted for the user's, and put it back when the
// other has long removed it. So what another live run restores when it ends counts as it was before that one
// began: nothing on the disk is asked, which a command could change while it is looked at. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hold/record.h"

namespace sbx::hold {

/// What one run looks at, and where it does not have to.
struct View {
    const std::string& root;
    const std::vector<std::string>& guarded;    ///< absolute; git directories that mounts protect
    const std::vector<std::string>& hooks;      ///< absolute; counted as a whole
    const std::vector<std::string>& read_only;  ///< absolute; only the host changes these
    const std::vector<std::string>& followed;   ///< relative; what links and settings lead to, as a whole
    const Snapshot& files;                      ///< what could not be read is not looked into
};

/// True when the run sees a change of the entry `path` (absolute), whose name or surroundings make it `role`.
bool looks_at(const View& view, const std::string& path, Role role);

View view_of(const Record& record);

/// What counts as being at `path` (absolute), which would be `role` if it is there: the item, or nothing, or
/// nullopt when none of the live runs `others` restores it and the disk decides.
std::optional<const Item*> known_before(const std::vector<Record>& others, const std::string& path, Role role);

}  // namespace sbx::hold
