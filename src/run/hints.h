// Why a command may have failed: only what can be proved.
#pragma once

#include <string>

#include "host/facts.h"
#include "plan/plan.h"
#include "run/outcome.h"

namespace sbx {

/// One line that names a path of the command line which the machine has and the command could not see, or
/// which it was to change and could not: with the rule, where that was written, and the flag that would
/// allow it. "" after a success and when nothing is certain. Looks at the host's files.
std::string find_hint(const Plan& plan, const HostFacts& facts, const Outcome& outcome);

}  // namespace sbx
