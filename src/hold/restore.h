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

/// Compares the root with what there was and carries out the verdicts. Nothing of the sandbox may be alive.
/// Error: the root cannot be read, or is not the folder that it was.
Result<Report> restore(const Record& record, const std::string& state_directory, const CatFile& cat_file);

}  // namespace sbx::hold
