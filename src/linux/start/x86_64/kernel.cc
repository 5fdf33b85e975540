#include "linux/start/kernel.h"

namespace sbx::start {

long kernel(long number, long a, long b, long c, long d, long e) {
    register long fourth __asm__("r10") = d;
    register long fifth __asm__("r8") = e;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth)
                     : "rcx", "r11", "memory");
    return result;
}

}  // namespace sbx::start
