// The part of fact gathering that differs between platforms; one implementation per folder.
#pragma once

#include "host/facts.h"
#include "policy/policy.h"
#include "util/result.h"

namespace sbx {

/// Fills `platform`, `executable`, `has_terminal` and the platform's own struct as far as no policy is
/// needed.
Result<void> gather_platform_caller(HostFacts& facts);

/// Fills `system` and the platform's own struct as the policy needs it.
Result<void> gather_platform(const Policy& policy, HostFacts& facts);

}  // namespace sbx
