#include "linux/render/limits.h"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>

namespace sbx {

bool has_controller(const HostFacts& facts, const std::string& name) {
    const auto& all = facts.linux_.controllers;
    return !facts.linux_.cgroup.empty() && std::find(all.begin(), all.end(), name) != all.end();
}

Result<void> add_resource_limits(const Plan& plan, const HostFacts& facts, InnerSettings& inner) {
    auto limit = [&](int resource, int64_t value) {
        inner.limits.push_back({static_cast<uint32_t>(resource), 0, static_cast<uint64_t>(value)});
    };
    const Limits& limits = plan.limits;
    if (limits.file_size) {
        limit(RLIMIT_FSIZE, *limits.file_size);
    }
    if (limits.open_files) {
        limit(RLIMIT_NOFILE, *limits.open_files);
    }
    if (limits.memory && !has_controller(facts, "memory")) {
        // Not RLIMIT_AS: node, java and go reserve far more addresses than they use.
        limit(RLIMIT_DATA, *limits.memory);
    }
    if (limits.processes && facts.uid != 0) {
        // The kernel counts per user namespace, so only what runs inside: the command's, and process 1.
        limit(RLIMIT_NPROC, *limits.processes + 1);
    } else if (limits.processes && !has_controller(facts, "pids") && facts.linux_.pids_cgroup.empty()) {
        return Error{"limit_unavailable",
                     "limits.processes: root's processes can be limited by a control group only, and none can be "
                     "made here",
                     "run sbx as an ordinary user, or leave the limit out"};
    }
    return {};
}

size_t bound_cpus(const Plan& plan, const HostFacts& facts) {
    if (!plan.limits.cpus || has_controller(facts, "cpu")) {
        return 0;
    }
    return static_cast<size_t>(std::max(1.0, std::ceil(*plan.limits.cpus)));
}

}  // namespace sbx
