#include <gtest/gtest.h>

#include <algorithm>

#include "plan/mounts.h"

namespace sbx {
namespace {

const Mount* at(const Plan& plan, const std::string& destination) {
    const Mount* found = nullptr;
    for (const Mount& mount : plan.mounts) {
        found = mount.destination == destination ? &mount : found;
    }
    return found;
}

Mount bound(const std::string& path, Purpose purpose) {
    Mount mount;
    mount.source = mount.destination = path;
    mount.purpose = purpose;
    return mount;
}

HostFacts some_facts() {
    HostFacts facts;
    facts.uid = facts.gid = 1000;
    facts.user = "dev";
    facts.home = "/home/dev";
    facts.system = {{"/usr", FileKind::Directory, ""}, {"/etc", FileKind::Directory, ""}};
    return facts;
}

TEST(System, LinksAreMadeOnlyWhereNothingIsBound) {
    HostFacts facts = some_facts();
    facts.links = {{"/usr/local/x", FileKind::Symlink, "/home/dev/x"}, {"/data", FileKind::Symlink, "/mnt/data"},
                   {"/mnt", FileKind::Symlink, "/elsewhere"}};
    Plan plan;
    plan.mounts = {bound("/usr", Purpose::System), bound("/mnt/data", Purpose::Worktree)};
    add_links(facts, plan);
    EXPECT_EQ(at(plan, "/usr/local/x"), nullptr);
    EXPECT_EQ(at(plan, "/mnt"), nullptr) << "a mount lies below it";
    ASSERT_NE(at(plan, "/data"), nullptr);
    EXPECT_EQ(at(plan, "/data")->source, "/mnt/data");
}

TEST(System, WhatIsNotForEveryUserIsHiddenUnlessGrantedByName) {
    HostFacts facts = some_facts();
    facts.linux_.system_hidden = {"/etc/shadow", "/etc/ssl/private/", "/etc/app/key", "/srv/x"};
    Plan plan;
    plan.mounts = {bound("/etc", Purpose::System), bound("/etc/app", Purpose::ReadGrant)};
    finish_system(Policy{}, facts, plan);
    ASSERT_NE(at(plan, "/etc/shadow"), nullptr);
    EXPECT_EQ(at(plan, "/etc/shadow")->kind, Mount::Kind::Mask);
    EXPECT_FALSE(at(plan, "/etc/shadow")->is_directory);
    EXPECT_TRUE(at(plan, "/etc/ssl/private")->is_directory);
    EXPECT_EQ(at(plan, "/etc/app/key"), nullptr);
    EXPECT_EQ(at(plan, "/srv/x"), nullptr);
}

TEST(System, MinimalHasNoUserButTheCaller) {
    HostFacts facts = some_facts();
    Policy policy;
    policy.system_read.value = SystemRead::Minimal;
    Plan plan;
    plan.home = facts.home;
    facts.user = "dev:0:0::/:/bin/sh\nroot2";
    add_system(policy, facts, plan);
    ASSERT_NE(at(plan, "/etc/passwd"), nullptr);
    EXPECT_EQ(at(plan, "/etc/passwd")->data.substr(0, 46), "user:x:1000:1000:user:/home/dev:/bin/sh\nroot:x");
    EXPECT_EQ(at(plan, "/etc/group")->data, "user:x:1000:\nroot:x:0:\nnogroup:x:65534:\n");
}

TEST(System, TheIdentityIsQuotedAndGrouped) {
    HostFacts facts;
    facts.git_identity = {{"user.name", "a \"b\" # c"}, {"color.ui", "auto"}, {"user.email", "x\ny"}};
    EXPECT_EQ(generated_git_config(facts),
              "[color]\n\tui = \"auto\"\n[user]\n\tname = \"a \\\"b\\\" # c\"\n\temail = \"x\\ny\"\n");
}

TEST(System, ToolchainsInTheWorktreeStayWritable) {
    HostFacts facts = some_facts();
    facts.toolchains = {{"path", "/home/dev/p/bin", FileKind::Directory, {}, ""},
                        {"pyenv", "/home/dev/.pyenv", FileKind::Directory, {"/home/dev/.pyenv/token", "/home/dev/.pyenv/k/"}, ""}};
    Plan plan;
    plan.mounts = {bound("/home/dev/p", Purpose::Worktree)};
    ASSERT_TRUE(add_toolchains(Policy{}, facts, plan).ok());
    EXPECT_EQ(at(plan, "/home/dev/p/bin"), nullptr);
    ASSERT_NE(at(plan, "/home/dev/.pyenv"), nullptr);
    EXPECT_EQ(at(plan, "/home/dev/.pyenv")->access, Access::Read);
    EXPECT_FALSE(at(plan, "/home/dev/.pyenv/token")->is_directory);
    EXPECT_TRUE(at(plan, "/home/dev/.pyenv/k")->is_directory);
}

}  // namespace
}  // namespace sbx
