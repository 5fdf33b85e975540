// Makes the directories that `+path` entries ask for.
#pragma once

#include "plan/plan.h"
#include "util/result.h"

namespace sbx {

/// Makes each of plan.create with mode 0700, parents included. No symbolic link is followed: the paths are
/// canonical, and a link that stands there now was put there by somebody else. Error: "io".
Result<void> create_folders(const Plan& plan);

}  // namespace sbx
