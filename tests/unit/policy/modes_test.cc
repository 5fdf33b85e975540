// What trust, taint and mode do to a run (pine's layers 2 and 4).
#include "policy/modes.h"

#include "unit/policy/policy_fixture.h"

namespace sbx {
namespace {

class Modes : public PolicyTest {
  protected:
    LoadedPolicy load_with(const std::string& text, bool bypass_anyway, bool tainted_network = false) {
        write("project/p.toml", text);
        PolicyRequest request;
        request.only_named = true;
        request.named.push_back({false, "p.toml"});
        request.bypass_anyway = bypass_anyway;
        request.allow_tainted_network = tainted_network;
        return load_policy(facts_, request);
    }
};

TEST_F(Modes, BypassIsNative) {  // P88
    LoadedPolicy loaded = load("sandbox.mode = \"bypass\"");
    EXPECT_EQ(errors_of(loaded), "");
    EXPECT_EQ(loaded.policy.backend.value, BackendChoice::Native);
}

TEST_F(Modes, BypassIsPausedWhenTainted) {  // P109, P110
    LoadedPolicy loaded = load("sandbox.mode = \"bypass\"\nsandbox.tainted = true\n");
    EXPECT_EQ(errors_of(loaded), "");
    EXPECT_EQ(loaded.policy.mode.value, Mode::Auto);
    EXPECT_EQ(loaded.policy.backend.value, BackendChoice::Auto);
    ASSERT_EQ(loaded.warnings.size(), 1U);
    EXPECT_EQ(loaded.warnings[0].rfind("bypass (paused): this run is tainted", 0), 0U);
}

TEST_F(Modes, BypassAnywayAndInTheUsersPolicy) {  // P111 to P113
    std::string text = "sandbox.mode = \"bypass\"\nsandbox.tainted = true\n";
    EXPECT_EQ(load_with(text, true).policy.backend.value, BackendChoice::Native);
    EXPECT_EQ(load(text + "sandbox.bypassWhenTainted = true\n").policy.backend.value, BackendChoice::Native);
}

TEST_F(Modes, UntrustedRunsAsAuto) {  // P108
    LoadedPolicy loaded = load("sandbox.mode = \"bypass\"\nsandbox.trust = \"untrusted\"\nsandbox.bypassWhenTainted = true");
    EXPECT_EQ(errors_of(loaded), "");
    EXPECT_EQ(loaded.policy.mode.value, Mode::Auto);
    EXPECT_EQ(loaded.policy.backend.value, BackendChoice::Auto);
    EXPECT_NE(loaded.notes.at(0).find("runs as auto"), std::string::npos);
}

// P12
TEST_F(Modes, UntrustedWritesNothing) {  // P13, P15
    LoadedPolicy loaded = load(
        "[sandbox]\ntrust = \"untrusted\"\nallowedWritePaths = [\"/a\"]\nnetwork = \"on\"\nhome = \"persistent\"\n");
    const Policy& policy = loaded.policy;
    EXPECT_EQ(errors_of(loaded), "");
    EXPECT_TRUE(policy.worktree_read_only.value);
    EXPECT_TRUE(policy.write_paths.empty());
    EXPECT_EQ(policy.read_paths.at(0).text, "/a");
    EXPECT_EQ(policy.network.value, NetworkMode::Off);
    EXPECT_EQ(policy.home.value, HomeMode::Private);
    EXPECT_EQ(policy.git_common_dir.value, GitCommonDir::Read);
}

TEST_F(Modes, UntrustedCanBeRefused) {  // P17
    LoadedPolicy loaded = load("sandbox.trust = \"untrusted\"\nuntrusted.allow = false\n");
    EXPECT_EQ(loaded.errors.at(0).code, "not_trusted");
}

// P2, P6
TEST_F(Modes, EnvironmentTaintsAndNeverClears) {  // P18, C40
    facts_.environment = {{"SBX_TAINTED", "1"}};
    LoadedPolicy loaded = load("sandbox.tainted = false");
    EXPECT_TRUE(loaded.policy.tainted.value);
    EXPECT_EQ(loaded.policy.tainted.origin.text(), "SBX_TAINTED");
    facts_.environment = {{"SBX_TAINTED", "0"}};
    EXPECT_TRUE(load("sandbox.tainted = true").policy.tainted.value);
}

TEST_F(Modes, TaintedWithNetworkOrNativeIsRefused) {  // P66
    EXPECT_EQ(load("sandbox.tainted = true\nsandbox.network = \"on\"").errors.at(0).code, "tainted_network");
    EXPECT_EQ(errors_of(load_with("sandbox.tainted = true\nsandbox.network = \"on\"", false, true)), "");
    EXPECT_EQ(load("sandbox.tainted = true\nsandbox.backend = \"native\"").errors.at(0).code, "not_confined");
    EXPECT_EQ(load("sandbox.trust = \"untrusted\"\nsandbox.backend = \"native\"").errors.at(0).code, "not_confined");
}

// P120
TEST_F(Modes, NoFallbackWhenGuarded) {  // C24
    EXPECT_EQ(load("sandbox.tainted = true\nsandbox.failureMode = \"fallback-native\"").policy.failure_mode.value,
              FailureMode::FailHard);
}

TEST_F(Modes, ReservedPort) {  // F20, F21, C14
    for (const char* text : {"sandbox.allowedPorts = [4040]", "sandbox.allowedPorts = [80, 4040]"}) {
        LoadedPolicy loaded = load(text);
        ASSERT_EQ(loaded.errors.size(), 1U) << text;
        EXPECT_EQ(loaded.errors[0].message, "Port 4040 is reserved and cannot be allowed in sandbox policy.");
        EXPECT_EQ(errors_of(load(std::string("sandbox.allowPort4040Override = true\n") + text)), "");
    }
    EXPECT_EQ(errors_of(load("vm.publish = \"127.0.0.1:80:4040\"")), "") << "the guest's own port is nobody's business";
    for (const char* wrong : {"\"4040\"", "4040.0", "0", "65536", "-1", "true"}) {
        EXPECT_FALSE(load("sandbox.allowedPorts = [" + std::string(wrong) + "]").errors.empty()) << wrong;
    }
    for (const char* good : {"1", "65535", "4041"}) {
        EXPECT_EQ(errors_of(load("sandbox.allowedPorts = [" + std::string(good) + "]")), "") << good;
    }
}

TEST_F(Modes, FusionPreset) {  // F22 to F25, C2
    LoadedPolicy loaded = load("sandbox.preset = \"fusion-worktree\"");
    EXPECT_EQ(loaded.policy.network.value, NetworkMode::On);
    ASSERT_EQ(loaded.policy.write_paths.size(), 1U);
    EXPECT_TRUE(loaded.policy.write_paths[0].optional);
    for (const PathEntry& entry : loaded.policy.write_paths) {
        EXPECT_EQ(entry.text.find(".fusion"), std::string::npos);
    }
    // Not the folder around it: programs on PATH lie there.
    EXPECT_EQ(loaded.policy.write_paths[0].text, "~/.local/share/pnpm/store");
    facts_.platform = Platform::Mac;
    EXPECT_EQ(load("sandbox.preset = \"fusion-worktree\"").policy.write_paths.at(0).text, "~/Library/pnpm/store");
    facts_.environment = {{"XDG_DATA_HOME", "/data"}};
    EXPECT_EQ(load("sandbox.preset = \"fusion-worktree\"").policy.write_paths.at(0).text, "/data/pnpm/store");
    EXPECT_EQ(load("sandbox.preset = \"fusion-worktree\"\nsandbox.network = \"off\"").policy.network.value,
              NetworkMode::Off);
}

struct VmCase {
    const char* text;
    const char* code;
};

class VmRules : public PolicyTest, public testing::WithParamInterface<VmCase> {};

TEST_P(VmRules, AreChecked) {  // T6, T53, T61, T68, T14
    LoadedPolicy loaded = load(GetParam().text);
    EXPECT_EQ(loaded.errors.empty() ? "" : loaded.errors[0].code, GetParam().code) << errors_of(loaded);
}

constexpr const char* kId = "0f8fad5b-d9cb-469f-a165-70867728950e";
const std::string kTwice = std::string("vm.profile = \"files\"\nvm.folders = [{path=\"/a\", id=\"") + kId +
                           "\"}, {path=\"/b\", id=\"" + kId + "\"}]";
const std::string kGood = std::string("vm.profile = \"files\"\nvm.folders = [{path=\"/a\", id=\"") + kId + "\"}]";
const std::string kPinned = "vm.image = \"x.example/sbx@sha256:" + std::string(64, 'a') + "\"";

INSTANTIATE_TEST_SUITE_P(
    Tuff, VmRules,
    testing::Values(VmCase{"vm.image = \"debian:12\"", "invalid_value"}, VmCase{kPinned.c_str(), ""},
                    VmCase{"vm.image = \"@sha256:aa\"", "invalid_value"}, VmCase{kGood.c_str(), ""},
                    VmCase{kTwice.c_str(), "invalid_folder"},
                    VmCase{"vm.profile = \"files\"\nvm.folders = [{path=\"/a\", id=\"0F8FAD5B-D9CB-469F-A165-70867728950E\"}]",
                           "invalid_folder"},
                    VmCase{"vm.profile = \"files\"\nvm.folders = [{id=\"x\"}]", "invalid_folder"},
                    VmCase{"vm.profile = \"files\"\nvm.folders = [{path=\"/a\", body=1}]", "unknown_key"},  // T49
                    VmCase{"vm.profile = \"web\"\nvm.folders = [{path=\"/a\"}]", "unknown_key"},
                    VmCase{"vm.profile = \"files\"\nvm.dns = [\"192.0.2.1\"]", "unknown_key"},
                    VmCase{"vm.profile = \"files\"\nvm.allowHosts = [\"a.example\"]", "unknown_key"},
                    VmCase{"vm.profile = \"files\"\nvm.blockedAddresses = [\"192.0.2.1\"]", ""},  // T59
                    VmCase{"vm.allowHosts = [\"a.example\"]", "unknown_key"},
                    VmCase{"vm.profile = \"web\"\nvm.allowHosts = [\"a.example\"]", ""},
                    VmCase{"vm.profile = \"web\"\nvm.allowHosts = [\"https://a\"]", "invalid_value"},
                    VmCase{"vm.profile = \"web\"\nvm.allowHosts = [\"10.0.0.1\"]", "invalid_value"},
                    VmCase{"vm.blockedAddresses = [\"192.0.2.1\", \"2001:db8::1\"]", ""},
                    VmCase{"vm.blockedAddresses = [\"192.0.2.0/24\"]", "invalid_value"},
                    VmCase{"sandbox.allowPort4040Override = true\nvm.publish = \"127.0.0.1:4040:80\"", "reserved_port"},  // C14
                    VmCase{"vm.blockedAddresses = [\"not-an-ip\"]", "invalid_value"},
                    VmCase{"vm.publish = \"0.0.0.0:80:80\"", "invalid_value"},
                    VmCase{"vm.publish = \"127.0.0.1:8080:80\"", ""}, VmCase{"vm.profile = \"\"", ""},
                    VmCase{"vm.profile = \"other\"", "invalid_value"}));

}  // namespace
}  // namespace sbx
