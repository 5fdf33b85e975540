#include "run/processes.h"

#include <sys/sysctl.h>

#include <vector>

namespace sbx {
namespace {

std::vector<kinfo_proc> look_at_processes(int what, int number) {
    int name[] = {CTL_KERN, KERN_PROC, what, number};
    size_t size = 0;
    if (sysctl(name, 4, nullptr, &size, nullptr, 0) != 0) {
        return {};
    }
    std::vector<kinfo_proc> found(size / sizeof(kinfo_proc) + 8);  // some may be started meanwhile
    size = found.size() * sizeof(kinfo_proc);
    if (sysctl(name, 4, found.data(), &size, nullptr, 0) != 0) {
        return {};
    }
    found.resize(size / sizeof(kinfo_proc));
    return found;
}

}  // namespace

pid_t parent_of(pid_t pid) {
    auto found = look_at_processes(KERN_PROC_PID, pid);
    return found.empty() ? 0 : found.front().kp_eproc.e_ppid;
}

std::vector<pid_t> members_of(pid_t group) {
    std::vector<pid_t> members;
    for (const kinfo_proc& member : look_at_processes(KERN_PROC_PGRP, group)) {
        if (member.kp_proc.p_stat != SZOMB) {
            members.push_back(member.kp_proc.p_pid);
        }
    }
    return members;
}

}  // namespace sbx
