// Which inherited descriptors the command keeps. Pure.
#pragma once

#include <vector>

#include "host/facts.h"
#include "plan/build.h"

namespace sbx {

/// Those that --keep-fd names, the pipes that an argument names as /dev/fd/N (a shell's process
/// substitution), and make's jobserver as MAKEFLAGS names it. Sorted, each once. Everything else that
/// was inherited is closed: an inherited directory leads past every mount.
std::vector<int> plan_descriptors(const HostFacts& facts, const Invocation& invocation);

}  // namespace sbx
