// What becomes of each change that a run made to a file which the host runs or obeys. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hold/snapshot.h"
#include "plan/plan.h"

namespace sbx::hold {

struct Change {
    enum class Verdict {
        Leave,   ///< nothing to do
        Report,  ///< stays; one line says so
        Hold     ///< kept for `sbx accept`; the root gets back what it had
    };
    std::string path;              ///< relative to the root
    const Item* before = nullptr;  ///< nullptr: the run created it
    const Item* after = nullptr;   ///< nullptr: the run removed it
    Verdict verdict = Verdict::Hold;
    std::optional<std::string> rewritten;  ///< what a repository's configuration is reduced to instead
};

/// A repository's configuration with only those settings that cannot make git run anything; "" when git
/// could not read it either.
std::string reduced_git_config(std::string_view text);

/// Everything that differs, sorted by path, with a verdict.
std::vector<Change> judge(const HandoverPlan& plan, const Snapshot& before, const Snapshot& after);

/// What mounts kept read-only, only the host can have changed: a data base of its own that it writes to all the
/// time, for instance. Putting that back would destroy it. `root`: what the changes' paths are relative to.
void leave_read_only(const HandoverPlan& plan, const std::string& root, std::vector<Change>& changes);

/// True when a change of what `item` is would be held under this plan.
bool would_be_held(const HandoverPlan& plan, const Item& item);

}  // namespace sbx::hold
