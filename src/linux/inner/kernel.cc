#include "linux/inner/kernel.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace sbx::inner {
namespace {

// The same numbers on every architecture; older headers lack them.
constexpr long kLandlockCreateRuleset = 444;
constexpr long kLandlockAddRule = 445;
constexpr long kLandlockRestrictSelf = 446;
constexpr long kCloseRange = 436;
constexpr unsigned kLandlockVersion = 1;
constexpr unsigned kLandlockRulePathBeneath = 1;
constexpr unsigned kSeccompSetModeFilter = 1;
constexpr uint32_t kCapabilityVersion3 = 0x20080522;
constexpr int kAmbient = 47;        // PR_CAP_AMBIENT
constexpr int kAmbientIsSet = 1;    // PR_CAP_AMBIENT_IS_SET

struct __attribute__((packed)) PathBeneath {
    uint64_t allowed_access;
    int32_t parent_fd;
};

struct FilterProgram {
    uint16_t count;
    const void* instructions;
};

long result(long value) { return value < 0 ? -errno : value; }

}  // namespace

long landlock_abi() { return result(syscall(kLandlockCreateRuleset, nullptr, 0, kLandlockVersion)); }

long landlock_create_ruleset(const LandlockRuleset& ruleset, size_t size) {
    return result(syscall(kLandlockCreateRuleset, &ruleset, size, 0));
}

long landlock_add_path_rule(int ruleset, int fd, uint64_t access) {
    PathBeneath rule{access, fd};
    return result(syscall(kLandlockAddRule, ruleset, kLandlockRulePathBeneath, &rule, 0));
}

long landlock_restrict_self(int ruleset) { return result(syscall(kLandlockRestrictSelf, ruleset, 0)); }

long close_range(unsigned first, unsigned last) { return result(syscall(kCloseRange, first, last, 0)); }

long seccomp_set_filter(const void* instructions, unsigned count) {
    FilterProgram program{static_cast<uint16_t>(count), instructions};
    return result(syscall(SYS_seccomp, kSeccompSetModeFilter, 0, &program));
}

bool no_capabilities() {
    struct {
        uint32_t version;
        int pid;
    } header{kCapabilityVersion3, 0};
    struct {
        uint32_t effective, permitted, inheritable;
    } sets[2] = {};
    if (syscall(SYS_capget, &header, sets) != 0) {
        return false;
    }
    for (const auto& set : sets) {
        if ((set.effective | set.permitted | set.inheritable) != 0) {
            return false;
        }
    }
    for (unsigned long capability = 0; capability < 64; ++capability) {
        int bounding = prctl(PR_CAPBSET_READ, capability, 0, 0, 0);
        if (bounding < 0) {
            break;  // the kernel knows no capability from here on
        }
        if (bounding != 0 || prctl(kAmbient, kAmbientIsSet, capability, 0, 0) != 0) {
            return false;
        }
    }
    return true;
}

}  // namespace sbx::inner
