// C32: a policy that is found in the project takes rights away and gives none.
#include <gtest/gtest.h>

#include <set>

#include "policy/schema.h"
#include "unit/policy/policy_fixture.h"

namespace sbx {
namespace {

struct NarrowCase {
    const char* text;
    bool accepted;
};

class Narrow : public PolicyTest, public testing::WithParamInterface<NarrowCase> {};

// P45, P84
TEST_P(Narrow, ProjectPolicy) {
    LoadedPolicy loaded = load_project(GetParam().text);
    EXPECT_EQ(loaded.errors.empty(), GetParam().accepted) << GetParam().text << "\n" << errors_of(loaded);
    for (const Diagnostic& error : loaded.errors) {
        EXPECT_EQ(error.code, "not_trusted") << errors_of(loaded);
    }
}

constexpr NarrowCase kCases[] = {
    {"sandbox.backend = \"native\"", false},
    {"sandbox.backend = \"container\"", false},
    {"sandbox.failureMode = \"fallback-native\"", false},
    {"sandbox.failureMode = \"fail-hard\"", true},
    {"sandbox.preset = \"fusion-worktree\"", false},
    {"sandbox.mode = \"manual\"", true},
    {"sandbox.mode = \"bypass\"", false},
    {"sandbox.trust = \"untrusted\"", true},
    {"sandbox.tainted = true", true},
    {"sandbox.bypassWhenTainted = true", false},
    {"sandbox.worktree = \"sub\"", true},
    {"sandbox.worktree = \"/\"", false},
    {"sandbox.worktree = \"~\"", false},
    {"sandbox.worktreeReadOnly = true", true},
    {"sandbox.repoRoot = \"/srv\"", false},
    {"sandbox.allowedReadPaths = [\"sub\"]", true},
    {"sandbox.allowedReadPaths = [\"/srv\"]", false},
    {"sandbox.allowedReadPaths = [\"~/x\"]", false},
    {"sandbox.allowedWritePaths = [\"sub\"]", false},
    {"sandbox.allowedWritePaths = []", true},
    {"sandbox.network = \"on\"", false},
    {"sandbox.network = \"off\"", true},
    {"sandbox.allowNetwork = true", false},
    {"sandbox.network = true", false},
    {"sandbox.allowedPorts = [8080]", false},
    {"sandbox.allowPort4040Override = true", false},
    {"sandbox.home = \"persistent\"", false},
    {"sandbox.home = \"host\"", false},
    {"sandbox.toolchains = \"off\"", true},
    {"sandbox.toolchains = [\"/x\"]", false},
    {"sandbox.gitConfig = \"off\"", true},
    {"sandbox.gitCommonDir = \"read\"", true},
    {"sandbox.systemRead = \"minimal\"", true},
    {"sandbox.systemRead = \"full\"", false},
    {"sandbox.allowFusionWorktree = true", false},
    {"sandbox.nested = \"on\"", false},
    {"sandbox.nested = \"weaker\"", false},
    {"sandbox.env.pass = [\"AWS_SECRET_ACCESS_KEY\"]", false},
    {"sandbox.env.set = { A = \"b\" }", false},
    {"untrusted.allow = false", true},
    {"zones.safe = [\"/\"]", false},
    {"zones.restricted = [\"/\"]", false},
    {"zones.denied = [\"*.p12\"]", true},
    {"zones.exempt = [\"*\"]", false},
    {"zones.level = \"restricted\"", true},
    {"zones.maskGit = true", true},
    {"zones.strictTmp = \"/tmp/x\"", false},
    {"guards.git = \"off\"", false},
    {"guards.git = \"tainted\"", false},
    {"guards.instructions = \"always\"", true},
    {"guards.instructions = \"off\"", false},
    {"guards.handover = \"protect\"", true},
    {"guards.handover = \"report\"", false},
    {"guards.paths = [\"Makefile\"]", true},
    {"scan.skip = [\"secrets\"]", false},
    {"scan.maxEntries = 1", false},
    {"scan.timeout = \"1ms\"", false},
    {"scan.onLimit = \"note\"", false},
    {"limits.timeout = \"1m\"", true},
    {"limits.memory = \"1G\"", true},
    {"limits.processes = 10", true},
    {"limits.cpus = 1", true},
    {"limits.fileSize = 100", true},
    {"limits.openFiles = 100", true},
    {"limits.tmpSize = 100", true},
    {"vm.image = \"x\"", false},
    {"vm.profile = \"web\"", false},
    {"vm.folders = [{ path = \"/home\" }]", false},
    {"vm.publish = \"127.0.0.1:80:80\"", false},
    {"vm.blockedAddresses = [\"192.0.2.1\"]", false},
    {"vm.dns = [\"192.0.2.1\"]", false},
    {"vm.allowHosts = [\"a.example\"]", false},
    {"vm.cpus = 4", false},
    {"vm.memory = \"4G\"", false},
    {"extends = [\"untrusted\"]", true},
    {"extends = [\"ci\"]", true},
    {"extends = [\"agent\"]", false},
    {"extends = [\"/etc/other.toml\"]", false},
};

INSTANTIATE_TEST_SUITE_P(EveryKey, Narrow, testing::ValuesIn(kCases));

TEST(Narrow, TableHasEveryKey) {
    for (const Key& key : schema()) {
        bool found = false;
        for (const NarrowCase& one : kCases) {
            found = found || std::string_view(one.text).substr(0, key.name.size() + 1) == std::string(key.name) + " ";
        }
        EXPECT_TRUE(found) << key.name;
    }
}

TEST_F(PolicyTest, ProjectLimitMayOnlyFall) {
    write("config/sbx/sbx.toml", "[limits]\nprocesses = 10\n");
    EXPECT_EQ(errors_of(load_project("limits.processes = 5")), "");
    EXPECT_FALSE(load_project("limits.processes = 11").errors.empty());
}

}  // namespace
}  // namespace sbx
