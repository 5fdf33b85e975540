// Which bwrap there is, and whether it may be trusted.
#pragma once

#include "host/facts.h"

namespace sbx {

/// Fills `bwrap`, or `bwrap_problem` with why there is none that may be used.
void find_bwrap(LinuxFacts& facts);

}  // namespace sbx
