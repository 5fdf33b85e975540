#include "policy/load.h"

#include <unistd.h>

#include "policy/trust.h"
#include "unit/policy/policy_fixture.h"

namespace sbx {
namespace {

using Load = PolicyTest;

// P4, P87
TEST_F(Load, NothingIsTheDefault) {
    LoadedPolicy loaded = load_policy(facts_, {});
    EXPECT_TRUE(loaded.errors.empty());
    EXPECT_TRUE(loaded.policy.files.empty());
    EXPECT_EQ(loaded.policy.network.value, NetworkMode::Off);
    EXPECT_EQ(loaded.policy.backend.value, BackendChoice::Auto);  // C1, C2
}

TEST_F(Load, SeedSpellingIsTomlAsItStands) {  // F2, F4, F21, F30
    LoadedPolicy loaded = load(
        "sandbox.backend = \"bubblewrap\"\nsandbox.failureMode = \"fallback-native\"\n"
        "sandbox.allowNetwork = true\nsandbox.allowedPorts = [4040]\nsandbox.allowPort4040Override=true\n");
    EXPECT_EQ(errors_of(loaded), "");
    EXPECT_EQ(loaded.policy.backend.value, BackendChoice::Bubblewrap);
    EXPECT_EQ(loaded.policy.failure_mode.value, FailureMode::FallbackNative);
    EXPECT_EQ(loaded.policy.network.value, NetworkMode::On);
    EXPECT_EQ(loaded.policy.ports.at(0).port, 4040);
    EXPECT_EQ(loaded.policy.backend.origin.text(), "p.toml:1:19");
}

TEST_F(Load, PineSpellings) {  // C41, P56
    LoadedPolicy loaded = load("[sandbox]\nread = [\"/a\"]\nwrite = [\"/b\"]\nnetwork = true\n");
    EXPECT_EQ(errors_of(loaded), "");
    EXPECT_EQ(loaded.policy.read_paths.at(0).text, "/a");
    EXPECT_EQ(loaded.policy.write_paths.at(0).text, "/b");
    EXPECT_EQ(loaded.policy.network.value, NetworkMode::On);
    EXPECT_EQ(load("[sandbox]\nread = []\nallowedReadPaths = []\n").errors.at(0).code, "conflict");
    EXPECT_EQ(load("[sandbox]\nnetwork = \"on\"\nallowNetwork = false\n").errors.at(0).code, "conflict");
}

TEST_F(Load, CrlfCountsAsOneLineEnd) {  // T85
    LoadedPolicy loaded = load("[sandbox]\r\nbackend = 5\r\n");
    ASSERT_EQ(loaded.errors.size(), 1U);
    EXPECT_EQ(loaded.errors[0].origin.text(), "p.toml:2:11");
    EXPECT_EQ(loaded.errors[0].source_line, "backend = 5");
}

TEST_F(Load, ColumnsAreBytes) {
    LoadedPolicy loaded = load("sandbox.read = [\"\xc3\xa4\", 5]\n");
    ASSERT_EQ(loaded.errors.size(), 1U);
    EXPECT_EQ(loaded.errors[0].origin.column, 23U);
}

TEST_F(Load, PathMarkers) {
    LoadedPolicy loaded = load("sandbox.read = [\"?a\", \"+b\", \"?+~/c\"]\n");
    ASSERT_EQ(errors_of(loaded), "");
    const auto& paths = loaded.policy.read_paths;
    EXPECT_TRUE(paths[0].optional && !paths[0].create && paths[0].text == "a");
    EXPECT_TRUE(!paths[1].optional && paths[1].create && paths[1].text == "b");
    EXPECT_TRUE(paths[2].optional && paths[2].create && paths[2].text == "~/c");
    EXPECT_EQ(paths[0].base, root_ + "/project");
}

TEST_F(Load, LaterLayersWin) {  // F28
    write("config/sbx/sbx.toml", "[sandbox]\nhome = \"persistent\"\nnetwork = \"on\"\n[limits]\nprocesses = 9\n");
    write("project/sbx.toml", "[sandbox]\nnetwork = \"off\"\n");
    write("project/named.toml", "[limits]\nprocesses = 7\n");
    PolicyRequest request;
    request.named.push_back({false, "named.toml"});
    request.settings.push_back({"--processes", "limits.processes", "5"});
    LoadedPolicy loaded = load_policy(facts_, request);
    ASSERT_EQ(errors_of(loaded), "");
    EXPECT_EQ(loaded.policy.home.value, HomeMode::Persistent);
    EXPECT_EQ(loaded.policy.home.origin.text(), root_ + "/config/sbx/sbx.toml:2:8");
    EXPECT_EQ(loaded.policy.network.value, NetworkMode::Off);
    EXPECT_EQ(loaded.policy.network.origin.text(), "sbx.toml:2:11");
    EXPECT_EQ(loaded.policy.limits.processes.value, 5);
    EXPECT_EQ(loaded.policy.limits.processes.origin.text(), "--processes");
    EXPECT_EQ(loaded.policy.files.size(), 3U);  // P51: all of them are guarded
}

TEST_F(Load, ExtendsComesFirst) {
    write("project/base.toml", "[sandbox]\nnetwork = \"on\"\nhome = \"persistent\"\n");
    LoadedPolicy loaded = load("extends = [\"./base.toml\"]\n[sandbox]\nnetwork = \"off\"\n");
    ASSERT_EQ(errors_of(loaded), "");
    EXPECT_EQ(loaded.policy.network.value, NetworkMode::Off);
    EXPECT_EQ(loaded.policy.home.value, HomeMode::Persistent);
}

TEST_F(Load, ExtendsCyclesDepthAndNames) {
    write("project/a.toml", "extends = [\"b.toml\"]\n");
    write("project/b.toml", "extends = [\"a.toml\"]\n");
    EXPECT_EQ(load("extends = [\"a.toml\"]\n").errors.at(0).code, "cycle");
    EXPECT_EQ(load("extends = [\"p.toml\"]\n").errors.at(0).code, "cycle");
    for (int i = 0; i < 12; ++i) {
        write("project/d" + std::to_string(i) + ".toml", "extends = [\"d" + std::to_string(i + 1) + ".toml\"]\n");
    }
    EXPECT_EQ(load("extends = [\"d0.toml\"]\n").errors.at(0).code, "too_deep");
    LoadedPolicy loaded = load("extends = [\"agnet\"]\n");
    EXPECT_EQ(loaded.errors.at(0).hint, "did you mean \"agent\"?");
    EXPECT_EQ(load("extends = \"agent\"\n").errors.at(0).code, "wrong_type");
    EXPECT_EQ(load("extends = [\"./nothing.toml\"]\n").errors.at(0).code, "not_found");
}

TEST_F(Load, AllErrorsInOneGo) {
    LoadedPolicy loaded = load("[sandbox]\nfoo = 1\nnetwork = \"no\"\nread = [\"../a\", 7]\n[limits]\nmemory = -1\n");
    EXPECT_EQ(loaded.errors.size(), 5U) << errors_of(loaded);
}

TEST_F(Load, NotAcceptedYet) {
    EXPECT_FALSE(load("sandbox.network = \"hosts\"\n").errors.empty());
    EXPECT_FALSE(load("sandbox.network = \"public\"\n").errors.empty());
    EXPECT_FALSE(load("sandbox.changes = \"held\"\n").errors.empty());
    EXPECT_FALSE(load("sandbox.allowHosts = [\"a.example\"]\n").errors.empty());
}

TEST_F(Load, EmptyProfileNameIsAnError) {  // T56
    PolicyRequest request;
    request.named.push_back({true, ""});
    EXPECT_FALSE(load_policy(facts_, request).errors.empty());
    EXPECT_FALSE(load("vm.profile = \"webb\"\n").errors.empty());
}

TEST_F(Load, FlagsAreChecked) {
    EXPECT_EQ(errors_of(load_flags({{"--memory", "limits.memory", "abc"}})),
              "sbx: --memory: error: \"abc\" is not a size\n"
              "    hint: write bytes or a number and a unit: 64K, 512M, 2G\n");
    EXPECT_FALSE(load_flags({{"--cpus", "limits.cpus", "-1"}}).errors.empty());
    EXPECT_EQ(*load_flags({{"--cpus", "limits.cpus", "1.5"}}).policy.limits.cpus.value, 1.5);
    EXPECT_FALSE(load_flags({{"--read", "sandbox.allowedReadPaths", "a/../b"}}).errors.empty());  // H2
    LoadedPolicy set = load_flags({{"--set-env", "sandbox.env.set", "A=b=c"}});
    EXPECT_EQ(set.policy.environment.set.at("A").value, "b=c");
    EXPECT_FALSE(load_flags({{"--set-env", "sandbox.env.set", "A"}}).errors.empty());
    EXPECT_FALSE(load_flags({{"--set-env", "sandbox.env.set", "SBX_TAINTED=0"}}).errors.empty());  // P18
}

TEST_F(Load, ValuesOfVariablesAreInNoMessage) {  // T90
    LoadedPolicy loaded = load_flags({{"--set-env", "sandbox.env.set", "hunter2hunter2"}});
    EXPECT_EQ(errors_of(loaded).find("hunter2"), std::string::npos);
}

TEST_F(Load, FindsTheNearestProjectPolicyUpToTheRepository) {
    write("sbx.toml", "");  // outside the repository
    facts_.cwd = root_ + "/project/sub";
    EXPECT_EQ(find_project_policy(facts_).file, "");
    write("project/sbx.toml", "");
    EXPECT_EQ(find_project_policy(facts_).file, root_ + "/project/sbx.toml");
    write("project/sub/sbx.toml", "");
    EXPECT_EQ(find_project_policy(facts_).file, root_ + "/project/sub/sbx.toml");
    EXPECT_EQ(find_project_policy(facts_).directory, root_ + "/project");
}

TEST_F(Load, WithoutARepositoryOnlyTheFolderItself) {
    std::filesystem::remove_all(root_ + "/project/.git");
    write("project/sbx.toml", "");
    facts_.cwd = root_ + "/project/sub";
    EXPECT_EQ(find_project_policy(facts_).file, "");
    facts_.cwd = root_ + "/project";
    EXPECT_EQ(find_project_policy(facts_).file, root_ + "/project/sbx.toml");
    facts_.home = root_ + "/project";
    EXPECT_EQ(find_project_policy(facts_).file, "") << "what lies in the home is no project's";
}

TEST_F(Load, ProjectPolicyThatIsALinkOrSharedIsRefused) {
    write("elsewhere.toml", "");
    ASSERT_EQ(symlink("../elsewhere.toml", (root_ + "/project/sbx.toml").c_str()), 0);
    EXPECT_EQ(load_policy(facts_, {}).errors.at(0).code, "not_trusted");
    std::filesystem::remove(root_ + "/project/sbx.toml");
    ASSERT_EQ(symlink("nowhere", (root_ + "/project/sbx.toml").c_str()), 0);
    EXPECT_EQ(load_policy(facts_, {}).errors.at(0).code, "not_trusted") << "a dangling link, too";
    std::filesystem::remove(root_ + "/project/sbx.toml");
    chmod(write("project/sbx.toml", "").c_str(), 0664);
    EXPECT_EQ(load_policy(facts_, {}).errors.at(0).code, "not_trusted");
}

TEST_F(Load, TrustedProjectPolicyMayWiden) {  // P62, C32
    std::string text = "[sandbox]\nnetwork = \"on\"\n";
    EXPECT_EQ(load_project(text).errors.at(0).code, "not_trusted");
    TrustStore store(facts_.state_dir);
    ASSERT_TRUE(store.trust(root_ + "/project/sbx.toml", text));
    LoadedPolicy loaded = load_project(text);
    EXPECT_EQ(errors_of(loaded), "");
    EXPECT_EQ(loaded.policy.network.value, NetworkMode::On);
    EXPECT_TRUE(loaded.sources.at(0).trusted);
    LoadedPolicy changed = load_project(text + "# one more byte\n");
    EXPECT_EQ(changed.errors.at(0).code, "not_trusted");
    EXPECT_NE(changed.notes.at(0).find("changed since you trusted it"), std::string::npos);
}

TEST_F(Load, NamedProjectPolicyIsTheUsersWord) {
    write("project/sbx.toml", "[sandbox]\nnetwork = \"on\"\n");
    PolicyRequest request;
    request.named.push_back({false, "sbx.toml"});
    LoadedPolicy loaded = load_policy(facts_, request);
    EXPECT_EQ(errors_of(loaded), "");
    EXPECT_EQ(loaded.sources.size(), 1U);
}

}  // namespace
}  // namespace sbx
