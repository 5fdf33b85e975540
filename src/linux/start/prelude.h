// Starts bwrap before sbx's own C library has set itself up, which takes as long as loading bwrap does: on a virtual
// machine each of its hundred CPUID instructions is a trap to the hypervisor, 0.7 ms in all.
//
// The entry point of the executable looks at nothing but its arguments, variables and descriptors. It starts bwrap as
// every usual run needs it; whether this run does is found out later, and if not, bwrap is ended unused.
#pragma once

#include "linux/start/bwrap.h"

namespace sbx::start {

/// The only bwrap that is started so: on every distribution it is here. Others are found later.
inline constexpr const char* kProgram = "/usr/bin/bwrap";

/// What it found: the numbers below are those that DescriptorNumbers gives when nothing of the caller's is kept.
inline constexpr int kFirstNumber = 10;
inline constexpr int kFixedNumbers = 7;
inline constexpr int kSpareData = 4;  ///< a usual run generates no more files than this

struct Prelude {
    Started started;
    int data[kSpareData] = {-1, -1, -1, -1};
};

/// What the entry point did; nothing where there is none (other processors, builds with sanitizers).
Prelude& prelude();

/// At the entry point. `stack`: as the kernel leaves it, argc first.
extern "C" void sbx_prelude(long* stack);

}  // namespace sbx::start
