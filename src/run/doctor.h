// sbx doctor and sbx selftest: they test effects, by running probes in a real sandbox.
#pragma once

#include "host/facts.h"
#include "policy/policy.h"
#include "run/finding.h"

namespace sbx {

/// What of the sandbox works on this machine, whatever any policy says, and what to do where it does not.
Findings examine_machine();

/// Tries, inside a sandbox with this policy, what must not work there. `facts`: gathered for the policy.
Findings test_policy(const Policy& policy, const HostFacts& facts);

/// The word in argv[1] that makes this program the probe: it runs inside, tries everything, and prints
/// a line "STATUS|LAYER|TEXT" for each.
inline constexpr const char* kProbeWord = "--sandbox-probe";
int probe_main(int argc, char** argv);

}  // namespace sbx
