#include "macos/run/system.h"

#include <libproc.h>
#include <spawn.h>
#include <unistd.h>

#include <cerrno>

// In libSystem since 10.5, in no public header.
extern "C" int sandbox_check(pid_t pid, const char* operation, int filter, ...);

namespace sbx {
namespace {

constexpr int kGlobalName = 2;              // SANDBOX_FILTER_GLOBAL_NAME
constexpr int kNoReport = 0x40000000;       // SANDBOX_CHECK_NO_REPORT: no line in the system's log

bool may_look_up(pid_t pid, const std::string& name) {
    return sandbox_check(pid, "mach-lookup", kGlobalName | kNoReport, name.c_str()) == 0;
}

}  // namespace

int exec_with_descriptors(const char* program, char* const* argv, char* const* environment,
                          const std::vector<int>& keep) {
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_init(&actions);
    // SETEXEC makes posix_spawn an exec: limits and session of this process stay, descriptors go.
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETEXEC | POSIX_SPAWN_CLOEXEC_DEFAULT);
    for (int fd : {0, 1, 2}) {
        posix_spawn_file_actions_addinherit_np(&actions, fd);
    }
    for (int fd : keep) {
        posix_spawn_file_actions_addinherit_np(&actions, fd);
    }
    return posix_spawn(nullptr, program, &actions, &attributes, argv, environment);
}

std::vector<pid_t> processes_of_run(const std::string& mark) {
    int bytes = proc_listpids(PROC_UID_ONLY, geteuid(), nullptr, 0);
    if (bytes <= 0) {
        return {};
    }
    std::vector<pid_t> all(static_cast<size_t>(bytes) / sizeof(pid_t) + 64);
    bytes = proc_listpids(PROC_UID_ONLY, geteuid(), all.data(), static_cast<int>(all.size() * sizeof(pid_t)));
    all.resize(bytes > 0 ? static_cast<size_t>(bytes) / sizeof(pid_t) : 0);
    std::vector<pid_t> found;
    for (pid_t pid : all) {
        // A process outside every sandbox may look up anything, and so may one in somebody else's
        // generous sandbox: neither is refused the other name.
        if (pid > 1 && pid != getpid() && may_look_up(pid, mark) && !may_look_up(pid, mark + ".other")) {
            found.push_back(pid);
        }
    }
    return found;
}

}  // namespace sbx
