// What trust, taint and mode mean for the settings of one run (pine's layers 2 and 4).
#pragma once

#include "host/facts.h"
#include "policy/load.h"

namespace sbx {

/// The last step of loading: SBX_TAINTED, untrusted runs, the pause of bypass, ports, the preset.
void settle(const HostFacts& facts, const PolicyRequest& request, LoadedPolicy& loaded);

/// The part of it that looks at single values: for a policy that has errors already.
void check_values(LoadedPolicy& loaded);

}  // namespace sbx
