// Makes the directories that `+path` entries ask for, and the home that is kept.
#pragma once

#include "plan/plan.h"
#include "util/result.h"

namespace sbx {

/// Makes each of plan.create with mode 0700, parents included. No symbolic link is followed: the paths are
/// canonical, and a link that stands there now was put there by somebody else. Writes the files that are
/// generated for a home that is kept. Errors: "io"; "not_trusted" when such a home is not the caller's alone.
Result<void> create_folders(const Plan& plan);

}  // namespace sbx
