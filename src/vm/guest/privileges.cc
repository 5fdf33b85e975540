#include "vm/guest/privileges.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "vm/guest/files.h"
#include "vm/render/guest.h"

namespace sbx::guest {
namespace {

constexpr int kAmbient = 47;         // PR_CAP_AMBIENT
constexpr int kAmbientClearAll = 4;  // PR_CAP_AMBIENT_CLEAR_ALL
constexpr uint32_t kCapabilityVersion3 = 0x20080522;

constexpr const char* kSets[] = {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"};

struct CapabilityHeader {
    uint32_t version;
    int pid;
};

struct CapabilityData {
    uint32_t effective, permitted, inheritable;
};

bool failed(Message& problem, const char* step) {
    int error = errno;
    problem.clear();
    problem.add("could not drop privileges (");
    problem.add(step);
    problem.add(": ");
    problem.add(strerror(error));
    problem.add("); refusing to start");
    return false;
}

bool wrong(Message& problem, const char* what) {
    problem.clear();
    problem.add("privileges are left (");
    problem.add(what);
    problem.add("); refusing to start");
    return false;
}

bool drop_bounding_set() {
    for (unsigned long capability = 0;; ++capability) {
        if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) {
            return errno == EINVAL && capability > 0;  // the kernel knows no capability from here on
        }
    }
}

/// setuid(2) keeps the inheritable set, and a runtime may have filled it.
bool clear_inheritable() {
    CapabilityHeader header{kCapabilityVersion3, 0};
    CapabilityData sets[2] = {};
    if (syscall(SYS_capget, &header, sets) != 0) {
        return false;
    }
    sets[0].inheritable = sets[1].inheritable = 0;
    return syscall(SYS_capset, &header, sets) == 0 && prctl(kAmbient, kAmbientClearAll, 0, 0, 0) == 0;
}

/// The text after `key` and its colon, at the start of a line; nullptr when there is none.
const char* field(const char* status, const char* key) {
    size_t length = strlen(key);
    for (const char* line = status; line != nullptr && *line != 0;) {
        if (strncmp(line, key, length) == 0 && line[length] == ':') {
            return line + length + 1;
        }
        line = strchr(line, '\n');
        line = line == nullptr ? nullptr : line + 1;
    }
    return nullptr;
}

bool all_ids(const char* values, unsigned long id) {
    for (int i = 0; i < 4; ++i) {
        char* end = nullptr;
        if (values == nullptr || strtoul(values, &end, 10) != id || end == values) {
            return false;
        }
        values = end;
    }
    return true;
}

bool is_zero(const char* value) {
    value += strspn(value, " \t");
    size_t zeros = strspn(value, "0");
    return zeros > 0 && (value[zeros] == '\n' || value[zeros] == 0);
}

}  // namespace

bool status_is_unprivileged(const char* status, Message& problem) {
    if (!all_ids(field(status, "Uid"), vm::kGuestUser)) {
        return wrong(problem, "user id");
    }
    if (!all_ids(field(status, "Gid"), vm::kGuestUser)) {
        return wrong(problem, "group id");
    }
    const char* groups = field(status, "Groups");
    if (groups == nullptr || groups[strspn(groups, " \t")] != '\n') {
        return wrong(problem, "supplementary groups");
    }
    for (const char* set : kSets) {
        const char* value = field(status, set);
        if (value == nullptr || !is_zero(value)) {
            return wrong(problem, set);
        }
    }
    const char* no_new_privileges = field(status, "NoNewPrivs");
    if (no_new_privileges == nullptr || strtoul(no_new_privileges, nullptr, 10) != 1) {
        return wrong(problem, "no_new_privs");
    }
    return true;
}

bool drop_privileges(Message& problem) {
    if (!drop_bounding_set()) {
        return failed(problem, "bounding set");
    }
    if (!clear_inheritable()) {
        return failed(problem, "inheritable set");
    }
    if (setgroups(0, nullptr) != 0) {
        return failed(problem, "setgroups");
    }
    if (setresgid(vm::kGuestUser, vm::kGuestUser, vm::kGuestUser) != 0) {
        return failed(problem, "setgid");
    }
    if (setresuid(vm::kGuestUser, vm::kGuestUser, vm::kGuestUser) != 0) {
        return failed(problem, "setuid");
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return failed(problem, "no_new_privs");
    }
    static FileText status;
    if (!read_file("/proc/self/status", status)) {
        return failed(problem, "/proc/self/status");
    }
    return status_is_unprivileged(status.data(), problem);
}

}  // namespace sbx::guest
