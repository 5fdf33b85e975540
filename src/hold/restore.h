// Gives a writable root back what it had, and keeps what the run made of it.
#pragma once

#include <string>
#include <vector>

#include "hold/baseline.h"
#include "hold/commits.h"
#include "hold/rules.h"
#include "hold/snapshot.h"
#include "plan/plan.h"
#include "util/result.h"

namespace sbx::hold {

struct Report {
    std::vector<std::string> held;      ///< relative paths whose change is held
    std::vector<std::string> reported;  ///< changed, and left
    std::vector<std::string> aside;     ///< could not be kept in the state directory: renamed in the root
    std::vector<std::string> removed;   ///< reserved names that the command had taken
    std::vector<std::string> failed;    ///< could not be restored; one message each

    bool lost_run = false;              ///< some of it is what a run left that was lost before it could restore

    void add(Report other);
};

/// Compares `root` with `before` and carries out the verdicts. Nothing of the sandbox may be alive.
/// Error: the root cannot be read, or something could not be restored: the baseline is still needed.
Result<Report> restore(const HandoverPlan& plan, const std::string& state_directory, const std::string& root,
                       const Before& before, const CatFile& cat_file);

}  // namespace sbx::hold
