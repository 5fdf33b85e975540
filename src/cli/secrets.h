// What keeps secrets out of sbx's own output. The command's output is not touched (C33).
#pragma once

#include <string>
#include <vector>

#include "host/facts.h"
#include "plan/plan.h"
#include "policy/load.h"
#include "policy/redact.h"
#include "util/result.h"

namespace sbx::cli {

/// Knows the secret-looking variables of the caller, the values of every `.env` from the current folder up
/// to the top of its repository, and the secret-looking variables that `policy` sets.
Redactor redactor_for(const HostFacts& facts, const Policy& policy);

/// load_policy() and check_grants(), with every secret taken out of the errors and notes. Adds the
/// policy's paths to `facts`.
LoadedPolicy load_redacted(HostFacts& facts, const PolicyRequest& request);

Error redacted(const Redactor& redact, Error error);
void redact_all(const Redactor& redact, std::vector<std::string>& texts);

/// `plan` as it may be shown: with `[redacted]` for the value of each variable that looks like a secret or
/// that a policy or flag passed or set (T90).
Plan without_values(Plan plan);

}  // namespace sbx::cli
