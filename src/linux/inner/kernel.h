// System calls and constants that musl or the kernel headers of the build machine may not know.
#pragma once

#include <stdint.h>
#include <stddef.h>

namespace sbx::inner {

constexpr uint64_t kLandlockScopeAbstractUnixSocket = 1;
constexpr uint64_t kLandlockScopeSignal = 2;

struct LandlockRuleset {
    uint64_t handled_access_fs;
    uint64_t handled_access_net;
    uint64_t scoped;
};

/// The ABI of this kernel's Landlock; negative errno when there is none.
long landlock_abi();
long landlock_create_ruleset(const LandlockRuleset& ruleset, size_t size);
/// Adds a path_beneath rule for what `fd` names.
long landlock_add_path_rule(int ruleset, int fd, uint64_t access);
long landlock_restrict_self(int ruleset);

long close_range(unsigned first, unsigned last);
/// Installs a classic BPF program of `count` 8-byte instructions.
long seccomp_set_filter(const void* instructions, unsigned count);
/// True when the permitted, effective, inheritable, bounding and ambient sets are all empty.
bool no_capabilities();

}  // namespace sbx::inner
