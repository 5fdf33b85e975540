#include "linux/render/limits.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace sbx {
namespace {

std::string limits_of(const Plan& plan, const HostFacts& facts) {
    InnerSettings inner;
    auto added = add_resource_limits(plan, facts, inner);
    if (!added.ok()) {
        return added.error().code;
    }
    std::string out;
    for (const auto& limit : inner.limits) {
        out += std::to_string(limit.resource) + "=" + std::to_string(limit.value) + " ";
    }
    return out;
}

TEST(Limits, ProcessesOfAUserCountProcessOneToo) {
    Plan plan;
    HostFacts facts;
    facts.uid = 1000;
    plan.limits.processes = 5;
    EXPECT_EQ(limits_of(plan, facts), std::to_string(RLIMIT_NPROC) + "=6 ");
}

TEST(Limits, ProcessesOfRootNeedAControlGroup) {
    Plan plan;
    HostFacts facts;
    plan.limits.processes = 5;
    EXPECT_EQ(limits_of(plan, facts), "limit_unavailable");
    facts.linux_.pids_cgroup = "/sys/fs/cgroup/pids";
    EXPECT_EQ(limits_of(plan, facts), "");
}

TEST(Limits, MemoryIsAControlGroupsOrRlimitData) {
    Plan plan;
    HostFacts facts;
    plan.limits.memory = 1000;
    EXPECT_EQ(limits_of(plan, facts), std::to_string(RLIMIT_DATA) + "=1000 ");
    facts.linux_.cgroup = "/sys/fs/cgroup/user.slice";
    facts.linux_.controllers = {"pids"};
    EXPECT_EQ(limits_of(plan, facts), std::to_string(RLIMIT_DATA) + "=1000 ");
    facts.linux_.controllers = {"memory"};
    EXPECT_EQ(limits_of(plan, facts), "");
}

TEST(Limits, CpusAreRoundedUp) {
    Plan plan;
    HostFacts facts;
    EXPECT_EQ(bound_cpus(plan, facts), 0U);
    plan.limits.cpus = 0.5;
    EXPECT_EQ(bound_cpus(plan, facts), 1U);
    plan.limits.cpus = 1.5;
    EXPECT_EQ(bound_cpus(plan, facts), 2U);
    facts.linux_.cgroup = "/x";
    facts.linux_.controllers = {"cpu"};
    EXPECT_EQ(bound_cpus(plan, facts), 0U);
}

}  // namespace
}  // namespace sbx
