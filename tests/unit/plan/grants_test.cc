// From policy to mounts: Fusion's table of policyToBwrapArgs, the order of grants, and what query_path makes of it.
#include <gtest/gtest.h>

#include <algorithm>

#include "linux/render/bwrap.h"
#include "plan/build.h"
#include "plan/query.h"
#include "policy/modes.h"

namespace sbx {
namespace {

/// Fusion's context: worktree /repo/.worktrees/fn-1, repository /repo, a pnpm store, paths with
/// "missing" in their name do not exist.
class Grants : public testing::Test {
  protected:
    Grants() {
        facts_.uid = facts_.gid = 1000;
        facts_.home = facts_.home_as_given = "/home/u";
        facts_.cwd = facts_.cwd_logical = "/repo/.worktrees/fn-1";
        facts_.config_dir = "/home/u/.config/sbx";
        facts_.state_dir = "/home/u/.local/state/sbx";
        facts_.executable = "/nowhere/bin/sbx";
        facts_.linux_.bwrap = "/usr/bin/bwrap";
        facts_.environment = {{"PATH", "/usr/bin"}, {"HOME", "/home/u"}, {"USER", "u"}, {"LANG", "C"},
                              {"FUSION_RUN_ID", "run-1"}, {"SECRET_TOKEN", "s"}, {"NODE_ENV", "test"}};
        facts_.system = {{"/usr", FileKind::Directory, ""}, {"/bin", FileKind::Symlink, "usr/bin"},
                         {"/lib", FileKind::Directory, ""}, {"/etc", FileKind::Directory, ""}};
        for (const char* path : {"/repo", "/repo/.worktrees/fn-1", "/home/u/.local/share/pnpm/store", "/custom/write",
                                 "/custom/ro", "/a", "/a/b", "/a/b/c"}) {
            facts_.paths[path] = {path, FileKind::Directory, false, true};
        }
    }

    static PathEntry entry(const std::string& text) {
        PathEntry made;
        made.text = text;
        made.base = "/repo/.worktrees/fn-1";
        made.origin = Origin::flag("--test");
        return made;
    }

    Result<Plan> plan() { return build_plan(policy_, facts_, {{"true"}, {}, false, ""}); }

    std::vector<std::string> options() {
        auto made = plan();
        EXPECT_TRUE(made.ok()) << (made ? "" : made.error().message);
        auto launch = render_bwrap(*made, facts_);
        EXPECT_TRUE(launch.ok());
        return launch->options;
    }

    /// Where `words` stand next to each other; -1 when they do not.
    static std::ptrdiff_t at(const std::vector<std::string>& options, const std::vector<std::string>& words) {
        auto found = std::search(options.begin(), options.end(), words.begin(), words.end());
        return found == options.end() ? -1 : found - options.begin();
    }

    static bool visible_access(const Plan& plan, const std::string& path, bool read, bool write) {
        PathAnswer answer = query_path(plan, path);
        return answer.readable == read && answer.writable == write;
    }

    Policy policy_;
    HostFacts facts_;
};

TEST_F(Grants, FusionDefaults) {  // F1, F7, F8, F12, F15 to F18
    std::vector<std::string> found = options();
    EXPECT_GE(at(found, {"--bind", "/repo/.worktrees/fn-1", "/repo/.worktrees/fn-1"}), 0);
    EXPECT_GE(at(found, {"--tmpfs", "/tmp"}), 0);
    EXPECT_GE(at(found, {"--unshare-net"}), 0);
    EXPECT_GE(at(found, {"--ro-bind", "/usr", "/usr"}), 0);
    EXPECT_GE(at(found, {"--symlink", "usr/bin", "/bin"}), 0);
    EXPECT_GE(at(found, {"--ro-bind", "/lib", "/lib"}), 0);
    Plan made = *plan();
    EXPECT_EQ(made.cwd, "/repo/.worktrees/fn-1");
    ASSERT_NE(query_environment(made, "FUSION_RUN_ID"), nullptr);
    EXPECT_EQ(query_environment(made, "FUSION_RUN_ID")->value, "run-1");
    EXPECT_NE(query_environment(made, "NODE_ENV"), nullptr);
    EXPECT_EQ(query_environment(made, "SECRET_TOKEN"), nullptr);
}

TEST_F(Grants, NetworkOn) {  // F17
    policy_.network.value = NetworkMode::On;
    EXPECT_EQ(at(options(), {"--unshare-net"}), -1);
}

TEST_F(Grants, NamedPaths) {  // F10, F49, C4, C17
    policy_.write_paths.push_back(entry("/custom/write"));
    policy_.read_paths.push_back(entry("/missing/readonly"));
    policy_.read_paths.push_back(entry("/custom/ro"));
    std::vector<std::string> found = options();
    EXPECT_GE(at(found, {"--bind", "/custom/write", "/custom/write"}), 0);
    EXPECT_GE(at(found, {"--ro-bind", "/custom/ro", "/custom/ro"}), 0);
    EXPECT_EQ(std::count(found.begin(), found.end(), "/missing/readonly"), 0);
    ASSERT_EQ(plan()->notes.size(), 1U);
    EXPECT_EQ(plan()->notes[0], "--test: /missing/readonly does not exist; skipped");
}

TEST_F(Grants, RepoRootGoesBeforeTheWorktree) {  // F11, C18
    policy_.repo_root = entry("/repo");
    Plan made = *plan();
    auto place = [&](const std::string& path) {
        return std::find_if(made.mounts.begin(), made.mounts.end(), [&](const Mount& mount) {
                   return mount.destination == path && mount.kind == Mount::Kind::Bind;
               }) - made.mounts.begin();
    };
    EXPECT_LT(place("/repo"), place("/repo/.worktrees/fn-1"));
    EXPECT_TRUE(visible_access(*plan(), "/repo/x", true, false));
    EXPECT_TRUE(visible_access(*plan(), "/repo/.worktrees/fn-1/x", true, true));
}

TEST_F(Grants, Preset) {  // F9, F22 to F25
    LoadedPolicy loaded;
    loaded.policy.preset.value = Preset::FusionWorktree;
    settle(facts_, {}, loaded);
    policy_ = loaded.policy;
    std::vector<std::string> found = options();
    EXPECT_GE(at(found, {"--bind", "/home/u/.local/share/pnpm/store", "/home/u/.local/share/pnpm/store"}), 0);
    EXPECT_EQ(at(found, {"--unshare-net"}), -1);
    for (const std::string& word : found) {
        EXPECT_EQ(word.find(".fusion"), std::string::npos);
    }
}

TEST_F(Grants, FusionBelowAWritableFolderIsGuarded) {  // F25, C13
    facts_.paths["/repo/.worktrees/fn-1/.fusion"] = {"/repo/.worktrees/fn-1/.fusion", FileKind::Directory, false, true};
    EXPECT_TRUE(visible_access(*plan(), "/repo/.worktrees/fn-1/.fusion/fusion.db", true, false));
}

TEST_F(Grants, InnerGrantsKeepTheirMeaning) {
    policy_.read_paths = {entry("/a"), entry("/a/b/c")};
    policy_.write_paths = {entry("/a/b")};
    Plan made = *plan();
    EXPECT_TRUE(visible_access(made, "/a/x", true, false));
    EXPECT_TRUE(visible_access(made, "/a/b/x", true, true));
    EXPECT_TRUE(visible_access(made, "/a/b/c/x", true, false)) << "read-only again, although /a is, too";
}

TEST_F(Grants, RedundantGrantsCostNoMount) {
    policy_.write_paths = {entry("/a"), entry("/a/b"), entry("/a")};
    policy_.read_paths = {entry("/a")};
    std::vector<std::string> found = options();
    EXPECT_EQ(std::count(found.begin(), found.end(), "/a"), 2);
    EXPECT_EQ(std::count(found.begin(), found.end(), "/a/b"), 0);
    EXPECT_GE(at(found, {"--bind", "/a", "/a"}), 0);
}

TEST_F(Grants, RefusalsNameTheFlag) {  // P91
    policy_.read_paths = {entry("/etc")};
    ASSERT_FALSE(plan().ok());
    EXPECT_EQ(plan().error().message, "--test: Path in DENIED zone: /etc (/etc)");
}

TEST_F(Grants, CreatedFoldersAreListed) {
    PathEntry made = entry("/custom/new");
    made.create = true;
    policy_.write_paths = {made};
    EXPECT_EQ(plan()->create, std::vector<std::string>{"/custom/new"});
}

TEST_F(Grants, HomeIsPrivate) {  // P3, P23, P31, C15
    Plan made = *plan();
    EXPECT_FALSE(query_path(made, "/home/u/.ssh/id_rsa").visible);
    EXPECT_FALSE(query_path(made, "/home/u/other-project/x").visible);
    EXPECT_TRUE(query_path(made, "/home/u").visible);
    EXPECT_FALSE(query_path(made, "/home/u/x").writable) << "what is written there reaches no file of the host";
    EXPECT_EQ(query_environment(made, "HOME")->value, "/home/u");
}

TEST_F(Grants, Ports) {  // F20, C14
    policy_.network.value = NetworkMode::On;
    EXPECT_FALSE(query_bind(*plan(), 4040));
    EXPECT_TRUE(query_bind(*plan(), 4041));
    policy_.ports.push_back({8080, {}});
    EXPECT_TRUE(query_bind(*plan(), 8080));
    EXPECT_FALSE(query_bind(*plan(), 4041));
    policy_.network.value = NetworkMode::Off;
    EXPECT_FALSE(query_bind(*plan(), 8080));
}

TEST_F(Grants, FallbackCoversOneCaseOnly) {  // F4, F48, C24
    policy_.failure_mode.value = FailureMode::FallbackNative;
    EXPECT_EQ(plan()->backend, Backend::Bubblewrap) << "it is there";
    facts_.linux_.bwrap.clear();
    facts_.linux_.bwrap_problem = "not-installed";
    Plan made = *plan();
    EXPECT_EQ(made.backend, Backend::Native);
    ASSERT_EQ(made.warnings.size(), 1U);
    EXPECT_EQ(made.warnings[0].rfind("no sandbox: bubblewrap is not available here (not-installed)", 0), 0U);
    policy_.tainted.value = true;
    EXPECT_EQ(plan()->backend, Backend::Bubblewrap);
    policy_.tainted.value = false;
    policy_.trust.value = Trust::Untrusted;
    EXPECT_EQ(plan()->backend, Backend::Bubblewrap);
    policy_.trust.value = Trust::Owner;
    policy_.failure_mode.value = FailureMode::FailHard;
    EXPECT_EQ(plan()->backend, Backend::Bubblewrap);
    policy_.failure_mode.value = FailureMode::FallbackNative;
    facts_.linux_.bwrap_problem = "not-trusted: /usr/bin/bwrap can be changed by others than root";
    EXPECT_EQ(plan()->backend, Backend::Bubblewrap) << "there, but to be repaired";
    policy_.backend.value = BackendChoice::Container;
    EXPECT_EQ(plan()->backend, Backend::Container) << "a guest is never replaced";
    policy_.backend.value = BackendChoice::SandboxExec;
    EXPECT_EQ(plan()->backend, Backend::Native) << "not-darwin";
}

TEST_F(Grants, AnIncompleteSearchIsToldOrRefused) {  // T71
    facts_.scan.unreadable = 3;
    ASSERT_EQ(plan()->notes.size(), 1U);
    EXPECT_EQ(plan()->notes[0], "3 directories could not be read; the guards are not complete");
    policy_.tainted.value = true;
    EXPECT_EQ(plan().error().code, "scan_incomplete");
}

TEST_F(Grants, NativeSaysThatNoLimitHolds) {
    policy_.backend.value = BackendChoice::Native;
    EXPECT_TRUE(plan()->warnings.empty());
    policy_.limits.memory.value = 1 << 20;
    EXPECT_EQ(plan()->warnings.size(), 1U);
}

TEST_F(Grants, DroppedVariablesAreListed) {  // F19, C16
    facts_.environment.emplace_back("npm_config__authToken", "x");
    std::vector<std::string> left_out = plan()->left_out;
    ASSERT_EQ(left_out.size(), 1U);
    EXPECT_EQ(left_out[0].rfind("variable npm_config__authToken is not passed", 0), 0U);
}

TEST_F(Grants, NativeAnswersYes) {  // P59
    policy_.backend.value = BackendChoice::Native;
    EXPECT_TRUE(visible_access(*plan(), "/home/u/.ssh/id_rsa", true, true));
}

}  // namespace
}  // namespace sbx
