// What a policy that was found in the project may change. A hostile repository ships its own policy:
// without `sbx trust` or `--policy` it can only take rights away.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "policy/schema.h"

namespace sbx {

/// True when changing the number behind a choice or a boolean from `before` to `after` narrows.
bool narrows(ProjectRule rule, int64_t before, int64_t after);

/// True when setting a limit to `after` narrows; no value means no limit.
bool narrows_limit(std::optional<double> before, double after);

/// True when elements may be added to a list under this rule.
bool may_add(ProjectRule rule);

}  // namespace sbx
