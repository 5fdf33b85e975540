#include "plan/environment.h"

#include <gtest/gtest.h>

#include "plan/query.h"

namespace sbx {
namespace {

class EnvironmentTest : public ::testing::Test {
  protected:
    std::string value(const std::string& name) {
        Plan plan;
        plan.home = "/home/u";
        plan.cwd = "/home/u/p";
        dropped.clear();
        for (const auto& entry : plan_environment(policy, facts, plan, dropped)) {
            if (entry.name == name) {
                return entry.value;
            }
        }
        return "(unset)";
    }

    Policy policy;
    HostFacts facts;
    std::vector<std::string> dropped;
};

TEST_F(EnvironmentTest, PassesTheBuiltInList) {  // F19
    facts.environment = {{"PATH", "/bin"}, {"LC_ALL", "C"}, {"FUSION_RUN_ID", "run-1"}, {"npm_config_x", "1"},
                         {"AWS_REGION", "eu"}, {"EMPTY", ""}, {"LANG", ""}};
    EXPECT_EQ(value("PATH"), "/bin");
    EXPECT_EQ(value("LC_ALL"), "C");
    EXPECT_EQ(value("FUSION_RUN_ID"), "run-1");
    EXPECT_EQ(value("npm_config_x"), "1");
    EXPECT_EQ(value("AWS_REGION"), "(unset)");
    EXPECT_EQ(value("EMPTY"), "(unset)");
    EXPECT_EQ(value("LANG"), "");
}

TEST_F(EnvironmentTest, DropsSecretsAndInjectionUnlessNamedExactly) {  // C16
    facts.environment = {{"npm_config__authToken", "x"}, {"NODE_OPTIONS", "--require=x"}, {"FUSION_SECRET", "x"},
                         {"NODE_AUTH_TOKEN", "x"}, {"LD_PRELOAD", "x"}, {"NODE_TOKENIZER", "ok"}};
    EXPECT_EQ(value("NODE_OPTIONS"), "(unset)");
    EXPECT_EQ(value("FUSION_SECRET"), "(unset)");
    EXPECT_EQ(value("NODE_AUTH_TOKEN"), "(unset)");
    EXPECT_EQ(value("npm_config__authToken"), "(unset)");
    EXPECT_EQ(value("NODE_TOKENIZER"), "ok");
    EXPECT_EQ(dropped.size(), 4U);  // LD_PRELOAD would not have been passed anyway
    policy.environment.pass = {{"NODE_OPTIONS", Origin::flag("--env")}, {"LD_*", Origin::flag("--env")}};
    EXPECT_EQ(value("NODE_OPTIONS"), "--require=x");
    EXPECT_EQ(value("LD_PRELOAD"), "(unset)") << "a pattern is not naming it exactly";
}

TEST_F(EnvironmentTest, DatabaseAddressesAreSecrets) {
    EXPECT_TRUE(is_sensitive_variable("DATABASE_URL"));
    EXPECT_TRUE(is_sensitive_variable("CI_POSTGRES_DSN"));
    EXPECT_TRUE(is_sensitive_variable("REDIS_URL"));
    EXPECT_FALSE(is_sensitive_variable("HOME_URL"));
}

TEST_F(EnvironmentTest, SetWinsAndPlacesArePrivate) {
    facts.environment = {{"TMPDIR", "/somewhere"}, {"HOME", "/other"}};
    policy.environment.set["FOO"] = {"bar", Origin::flag("--set-env")};
    EXPECT_EQ(value("FOO"), "bar");
    EXPECT_EQ(value("TMPDIR"), "/tmp");
    EXPECT_EQ(value("HOME"), "/home/u");
    EXPECT_EQ(value("PWD"), "/home/u/p");
}

}  // namespace
}  // namespace sbx
