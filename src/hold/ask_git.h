// git, asked inside a sandbox that can read what the run could read, and write nothing.
#pragma once

#include "hold/commits.h"
#include "host/facts.h"
#include "plan/plan.h"

namespace sbx::hold {

/// The plan of such a sandbox, made from that of the run: everything read-only, no network, and the
/// command is `git cat-file --batch`. Pure.
Plan cat_file_plan(const Plan& plan);

/// Both arguments must outlive what is returned.
CatFile sandboxed_cat_file(const Plan& plan, const HostFacts& facts);

}  // namespace sbx::hold
