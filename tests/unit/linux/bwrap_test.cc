#include "linux/render/bwrap.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sbx {
namespace {

HostFacts facts() {
    HostFacts facts;
    facts.uid = 1000;
    facts.gid = 1000;
    facts.linux_.bwrap = "/usr/bin/bwrap";
    facts.linux_.landlock_abi = 7;
    return facts;
}

Plan plan() {
    Plan plan;
    plan.argv = {"--bind", "x"};
    plan.cwd = "/p";
    Mount worktree;
    worktree.purpose = Purpose::Worktree;
    worktree.source = worktree.destination = "/p";
    worktree.access = Access::Write;
    plan.mounts.push_back(worktree);
    return plan;
}

bool has(const std::vector<std::string>& options, const std::string& word) {
    return std::find(options.begin(), options.end(), word) != options.end();
}

TEST(Bwrap, AlwaysTakesEveryPrivilegeAway) {  // C39
    auto launch = render_bwrap(plan(), facts());
    ASSERT_TRUE(launch.ok());
    std::string text = describe(*launch);
    EXPECT_NE(text.find("--unshare-user --unshare-pid --unshare-ipc --unshare-uts"), std::string::npos);
    EXPECT_NE(text.find("--cap-drop ALL --die-with-parent --as-pid-1"), std::string::npos);
    EXPECT_TRUE(has(launch->options, "--unshare-net"));
    EXPECT_TRUE(has(launch->options, "--disable-userns"));
    EXPECT_FALSE(launch->inner.filters[0].empty());
}

TEST(Bwrap, TheCommandNeverReachesItsArguments) {  // CVE-2024-32462
    auto launch = render_bwrap(plan(), facts());
    ASSERT_TRUE(launch.ok());
    EXPECT_EQ(std::count(launch->options.begin(), launch->options.end(), "--bind"), 1);
    EXPECT_EQ(launch->inner.argv, (std::vector<std::string>{"--bind", "x"}));
}

TEST(Bwrap, NetworkOnSharesTheNetwork) {
    Plan open = plan();
    open.network.mode = NetworkMode::On;
    auto launch = render_bwrap(open, facts());
    ASSERT_TRUE(launch.ok());
    EXPECT_FALSE(has(launch->options, "--unshare-net"));
}

TEST(Bwrap, DescriptorNumbersAvoidKeptOnes) {
    Plan busy = plan();
    busy.keep_fds = {10, 12, 14};
    auto launch = render_bwrap(busy, facts());
    ASSERT_TRUE(launch.ok());
    const LaunchDescriptors& fds = launch->descriptors;
    for (int fd : {fds.arguments, fds.inner_program, fds.inner_block, fds.socket, fds.stdio[0], fds.stdio[1],
                   fds.stdio[2]}) {
        EXPECT_TRUE(fd != 10 && fd != 12 && fd != 14) << fd;
    }
}

// P58
TEST(Bwrap, MissingBwrapNamesTheRemedy) {  // F5, F6
    HostFacts bare = facts();
    bare.linux_.bwrap.clear();
    bare.linux_.bwrap_problem = "not-installed";
    auto launch = render_bwrap(plan(), bare);
    ASSERT_FALSE(launch.ok());
    EXPECT_EQ(launch.error().code, "backend_unavailable");
    EXPECT_NE(launch.error().hint.find("sudo apt install bubblewrap"), std::string::npos);
    EXPECT_NE(launch.error().hint.find("sudo dnf install bubblewrap"), std::string::npos);
}

TEST(Bwrap, CountsItsArguments) {
    Plan many = plan();
    for (int i = 0; i < 3100; ++i) {
        many.mounts.push_back(many.mounts.front());
    }
    auto launch = render_bwrap(many, facts());
    ASSERT_FALSE(launch.ok());
    EXPECT_EQ(launch.error().code, "too_many_arguments");
}

TEST(Bwrap, LandlockIsLeftOutOnlyWhereItCannotBe) {
    auto with = render_bwrap(plan(), facts());
    ASSERT_TRUE(with.ok());
    EXPECT_NE(with->inner.header.flags & wire::kLandlock, 0U);
    Plan nested = plan();
    nested.nested = Nested::On;
    auto without = render_bwrap(nested, facts());
    ASSERT_TRUE(without.ok());
    EXPECT_EQ(without->inner.header.flags & wire::kLandlock, 0U);
}

TEST(InnerBlock, HoldsArgumentsByteForByte) {
    InnerSettings settings;
    settings.cwd = "/p";
    settings.argv = {"a", "", "\xff\n"};
    settings.environment = {"K=V"};
    std::string block = encode_block(settings);
    std::string tail("/p\0a\0\0\xff\n\0K=V\0", 13);
    ASSERT_GE(block.size(), tail.size());
    EXPECT_EQ(block.substr(block.size() - tail.size()), tail);
}

}  // namespace
}  // namespace sbx
