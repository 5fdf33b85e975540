#include "run/process_group.h"

#include <sys/sysctl.h>
#include <unistd.h>

#include <algorithm>
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

bool has_strangers(pid_t group, pid_t from) {
    std::vector<pid_t> family = {getpid()};
    for (pid_t pid = from; pid > 0;) {
        family.push_back(pid);
        auto found = look_at_processes(KERN_PROC_PID, pid);
        pid = found.empty() ? 0 : found.front().kp_eproc.e_ppid;
    }
    auto members = look_at_processes(KERN_PROC_PGRP, group);
    return std::any_of(members.begin(), members.end(), [&](const kinfo_proc& member) {
        return member.kp_proc.p_stat != SZOMB &&
               std::find(family.begin(), family.end(), member.kp_proc.p_pid) == family.end();
    });
}

}  // namespace sbx
