#include <gtest/gtest.h>

#include "plan/build.h"

namespace sbx {
namespace {

TEST(VmPlan, AProfileMapsNothingAndRunsFromAnywhere) {  // C36: also from the home, which is no worktree
    HostFacts facts;
    facts.home = facts.cwd = "/Users/me";
    facts.platform = Platform::Mac;
    Policy policy;
    policy.backend.value = BackendChoice::Container;
    Invocation invocation;
    invocation.argv = {"true"};
    EXPECT_FALSE(build_plan(policy, facts, invocation).ok());
    for (VmProfile profile : {VmProfile::Web, VmProfile::Files}) {
        policy.vm.profile.value = profile;
        auto plan = build_plan(policy, facts, invocation);
        ASSERT_TRUE(plan.ok());
        EXPECT_TRUE(plan->mounts.empty());
        EXPECT_TRUE(plan->handover.roots.empty());
        EXPECT_EQ(plan->cwd, "/tmp");
    }
}

TEST(VmPlan, NeverChosenByAuto) {  // T2
    for (Platform platform : {Platform::Linux, Platform::Mac}) {
        HostFacts facts;
        facts.platform = platform;
        facts.cwd = "/Users/me/project";
        Policy policy;
        policy.vm.image.value = "x";
        policy.vm.profile.value = VmProfile::Web;
        Invocation invocation;
        invocation.argv = {"true"};
        auto plan = build_plan(policy, facts, invocation);
        EXPECT_TRUE(!plan.ok() || plan->backend != Backend::Container);
    }
}

}  // namespace
}  // namespace sbx
