// The language installations below the home that PATH leads to.
#pragma once

#include "host/facts.h"
#include "policy/policy.h"

namespace sbx {

/// Fills facts.toolchains with what the entries of PATH need (or what sandbox.toolchains lists), sorted by
/// prefix, none inside another, and adds to facts.links the symbolic links that PATH goes through. Reads
/// links and directories, and the first bytes of scripts in ~/.local/bin; no other contents.
/// Never the home itself or a place known to hold credentials.
void find_toolchains(const Policy& policy, HostFacts& facts);

}  // namespace sbx
