#include "host/linux/cgroups.h"

#include <linux/magic.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>

#include "host/resolve.h"
#include "util/text.h"

namespace sbx {
namespace {

constexpr size_t kSmall = 1 << 16;

/// Path of this process's group: the line of /proc/self/cgroup whose controllers hold `controller` ("" for
/// the unified hierarchy).
std::string own_group(const std::string& controller) {
    for (const auto& line : split(small_file("/proc/self/cgroup", kSmall).value_or(""), '\n')) {
        size_t first = line.find(':');
        size_t second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos) {
            continue;
        }
        auto names = split(line.substr(first + 1, second - first - 1), ',');
        if (std::find(names.begin(), names.end(), controller) != names.end()) {
            return line.substr(second + 1);
        }
    }
    return "";
}

bool usable(const std::string& directory) {
    return access(directory.c_str(), W_OK) == 0 && access(path_join(directory, "cgroup.procs").c_str(), W_OK) == 0;
}

/// The nearest group, from the own one upwards, that hands its controllers to its children and belongs to
/// the caller. The own one seldom does: a group with processes in it cannot hand controllers on.
void find_unified(LinuxFacts& facts) {
    for (const char* mounted : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
        struct statfs status {};
        if (statfs(mounted, &status) != 0 || status.f_type != CGROUP2_SUPER_MAGIC) {
            continue;
        }
        std::string own = own_group("");
        if (own.empty() || own.find("/..") != std::string::npos) {
            return;  // outside of what this container shows
        }
        for (std::string group = path_normalise(own);; group = path_parent(group)) {
            std::string directory = path_normalise(path_join(mounted, group));
            auto control = small_file(path_join(directory, "cgroup.subtree_control"), kSmall);
            if (control && usable(directory)) {
                std::vector<std::string> handed;
                for (auto& name : split(control->substr(0, control->find('\n')), ' ')) {
                    if (name == "memory" || name == "pids" || name == "cpu") {
                        handed.push_back(std::move(name));
                    }
                }
                if (!handed.empty()) {
                    facts.cgroup = directory;
                    facts.controllers = std::move(handed);
                    return;
                }
            }
            if (group == "/") {
                return;
            }
        }
    }
}

}  // namespace

void find_cgroups(const Policy& policy, HostFacts& facts) {
    const LimitsPolicy& limits = policy.limits;
    if (!limits.memory.value && !limits.processes.value && !limits.cpus.value) {
        return;
    }
    find_unified(facts.linux_);
    const auto& controllers = facts.linux_.controllers;
    if (limits.processes.value && std::find(controllers.begin(), controllers.end(), "pids") == controllers.end()) {
        std::string directory = path_normalise("/sys/fs/cgroup/pids/" + own_group("pids"));
        if (usable(directory)) {
            facts.linux_.pids_cgroup = directory;
        }
    }
}

}  // namespace sbx
