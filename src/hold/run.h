// What a backend needs of hold/ around one run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hold/session.h"
#include "host/facts.h"
#include "plan/plan.h"

namespace sbx::hold {

/// False when nothing of the plan is to be watched, held or placed.
bool is_needed(const Plan& plan);

/// Session::begin() with the places of this machine. All arguments must outlive the session.
Result<std::unique_ptr<Session>> begin(const Plan& plan, const HostFacts& facts, const Terminal* terminal = nullptr);

/// One line each for the user.
std::vector<std::string> describe(const Report& report);

}  // namespace sbx::hold
