// System calls without the C library.
//
// All of this folder but portable/ runs before the C library has set itself up: there is no thread-local storage (so
// no errno and no stack protector), and no function of the library may be called, memcpy and memset included, which
// are chosen for the processor only later. cmake/Start.cmake has the flags, tests/start-is-freestanding the check.
#pragma once

#include <cstdint>

namespace sbx::start {

/// What the kernel returns: an error is -errno.
long kernel(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0);

inline long address(const void* pointer) { return static_cast<long>(reinterpret_cast<uintptr_t>(pointer)); }

}  // namespace sbx::start
