// The pure parts: names, verdicts, encoding; and the walk.
#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>
#include <set>

#include "hold/ask_git.h"
#include "hold/encoding.h"
#include "hold/fixture.h"
#include "hold/names.h"
#include "hold/rules.h"
#include "hold/tree.h"

namespace sbx::hold {
namespace {

TEST(Names, TheOneList) {
    for (const char* name : {".vscode",
                             ".idea",
                             ".zed",
                             ".devcontainer",
                             ".devcontainer.json",
                             ".envrc",
                             ".mise.toml",
                             ".tool-versions",
                             ".npmrc",
                             ".yarnrc",
                             ".yarnrc.yml",
                             ".pnpmfile.cjs",
                             ".claude",
                             ".codex",
                             ".cursor",
                             ".gemini",
                             ".mcp.json",
                             ".husky",
                             ".pre-commit-config.yaml",
                             ".gitmodules",
                             "sbx.toml",
                             ".fusion",
                             "mise.local.toml",
                             "lefthook.yml",
                             ".lefthook-local.jsonc",
                             "opencode.json",
                             ".aider.conf.yml",
                             ".roo",
                             ".clinerules",
                             ".exrc",
                             ".gdbinit",
                             "bunfig.toml",
                             "team.code-workspace",
                             "a name that is much longer than others.Code-Workspace",
                             ".VSCode",
                             ".ENVRC",
                             "SBX.TOML"}) {
        EXPECT_EQ(role_of("any", name), Role::Handover) << name;
    }
    EXPECT_EQ(role_of(".cargo", "config.toml"), Role::Handover);
    EXPECT_EQ(role_of("src", "config.toml"), Role::None);
    EXPECT_EQ(role_of(".GitHub", "Hooks"), Role::Handover);
    EXPECT_EQ(role_of("src", "hooks"), Role::None);
    for (auto [parent, name] : {std::pair(".yarn", "releases"), std::pair(".yarn", "plugins"), std::pair(".config", "mise"),
                                std::pair(".config", "lefthook.toml"), std::pair("mise", "config.toml"),
                                std::pair(".kiro", "hooks"), std::pair(".hg", "hgrc")}) {
        EXPECT_EQ(role_of(parent, name), Role::Handover) << parent << name;
        EXPECT_EQ(role_of("src", name), name == std::string_view("lefthook.toml") ? Role::Handover : Role::None) << name;
        EXPECT_TRUE(may_hold_handover(parent)) << parent;
    }
    EXPECT_EQ(role_of(".yarn", "cache"), Role::None);
    EXPECT_EQ(role_of(".kiro", "specs"), Role::None);
    for (const char* name :
         {"AGENTS.md", "CLAUDE.md", "SOUL.md", "MEMORY.md", "USER.md", "GEMINI.md", ".pi", ".agents",
                             "CLAUDE.local.md", "QWEN.md", ".cursorrules", ".windsurfrules", ".goosehints", ".rules"}) {
        EXPECT_EQ(role_of("x", name), Role::Instruction) << name;
    }
    for (const char* name : {"", ".", "main.py", ".vscod", ".vscodes", "vscode", ".git", "README.md", "package.json", "Makefile", ".code-workspac", "code-workspace", ".yarn", ".config",
                             "mise", ".kiro"}) {
        EXPECT_EQ(role_of("x", name), Role::None) << name;
    }
}

TEST(Names, CanAllBeSaidAsPaths) {
    auto check = [](const std::vector<std::string>& paths, Role role) {
        for (const std::string& path : paths) {
            size_t slash = path.find('/');
            std::string parent = slash == std::string::npos ? "any" : path.substr(0, slash);
            EXPECT_EQ(role_of(parent, path.substr(slash == std::string::npos ? 0 : slash + 1)), role) << path;
        }
        return std::set<std::string>(paths.begin(), paths.end());
    };
    auto handover = check(handover_paths(), Role::Handover);
    for (const char* path : {".vscode", ".envrc", ".cargo/config.toml", ".github/hooks", "sbx.toml"}) {
        EXPECT_EQ(handover.count(path), 1U) << path;
    }
    auto instructions = check(instruction_paths(), Role::Instruction);
    for (const char* path : {"AGENTS.md", "agents.md", "AGENTS.override.md", "CLAUDE.md", ".agents", ".github/instructions"}) {
        EXPECT_EQ(instructions.count(path), 1U) << path;
    }
}

TEST(ReducedGitConfig, KeepsWhatCannotRunAnything) {
    std::string reduced = reduced_git_config(
        "[core]\n\tbare = false\n\tfsmonitor = evil\n\tsshCommand = evil\n[remote \"o\"]\n\turl = "
        "https://x.example/a\n"
        "\tpushurl = ext::sh -c evil\n[remote \"p\"]\n\turl = ext::sh -c evil\n[include]\n\tpath = ../x\n"
        "[user]\n\tname = me\n[filter \"x\"]\n\tclean = evil\n");
    EXPECT_NE(reduced.find("https://x.example/a"), std::string::npos);
    EXPECT_NE(reduced.find("me"), std::string::npos);
    for (const char* bad : {"evil", "include", "filter"}) {
        EXPECT_EQ(reduced.find(bad), std::string::npos) << reduced;
    }
    EXPECT_EQ(reduced_git_config("[core\n"), "");
}

TEST(Encoding, RoundTripAndEveryCutOff) {
    Snapshot snapshot;
    snapshot["a\n\xff"] = Item{Item::Kind::File, Role::GitHook, 0755, -5, 7, 9, false, std::string("\0x", 2)};
    snapshot["b"] = Item{Item::Kind::Link, Role::Handover, 0777, 1, 2, 3, true, "target"};
    std::string bytes = encode(snapshot);
    std::string_view rest = bytes;
    Snapshot back;
    ASSERT_TRUE(decode(rest, back));
    EXPECT_TRUE(rest.empty());
    ASSERT_EQ(back.size(), 2U);
    EXPECT_EQ(back["a\n\xff"].content, std::string("\0x", 2));
    EXPECT_EQ(back["a\n\xff"].modified_ns, -5);
    EXPECT_FALSE(back["a\n\xff"].whole);
    for (size_t length = 0; length < bytes.size(); ++length) {
        std::string_view cut = std::string_view(bytes).substr(0, length);
        Snapshot none;
        EXPECT_FALSE(decode(cut, none)) << length;
    }
}

TEST(Rules, WhatBecomesOfEachChange) {
    HandoverPlan plan;
    plan.handover = Handover::Hold;
    Item known;
    known.role = Role::KnownPointer;
    Item pointer = known;
    pointer.role = Role::GitPointer;
    Snapshot before = {{"a/.git", known}};
    Snapshot after = {{"a/.git", pointer}};
    auto changes = judge(plan, before, after);
    ASSERT_EQ(changes.size(), 1U) << "a pointer whose target was exchanged looks unchanged";
    EXPECT_EQ(changes[0].before, nullptr);
    EXPECT_EQ(changes[0].verdict, Change::Verdict::Hold);
    Item unread;
    unread.role = Role::Unread;
    changes = judge(plan, {{"x", unread}}, {});
    ASSERT_EQ(changes.size(), 1U);
    EXPECT_EQ(changes[0].verdict, Change::Verdict::Leave);
}

TEST(CatFilePlan, WritesNothingAndReachesNothing) {
    Plan plan;
    Mount mount;
    mount.access = Access::Write;
    plan.mounts = {mount, mount};
    plan.mounts[1].purpose = Purpose::Guard;
    plan.network.mode = NetworkMode::On;
    plan.keep_fds = {7};
    plan.placeholders.resize(1);
    plan.handover.roots = {"/x"};
    plan.handover.common_dir = "/x/.git";
    plan.environment = {{"PATH", "/usr/bin", {}}, {"GIT_SSH_COMMAND", "evil", {}}};
    Plan reader = cat_file_plan(plan);
    ASSERT_EQ(reader.mounts.size(), 1U);
    EXPECT_EQ(reader.mounts[0].access, Access::Read);
    EXPECT_EQ(reader.network.mode, NetworkMode::Off);
    EXPECT_TRUE(reader.keep_fds.empty() && reader.placeholders.empty() && reader.handover.roots.empty());
    for (const auto& entry : reader.environment) {
        EXPECT_NE(entry.name, "GIT_SSH_COMMAND");
    }
}

class TreeTest : public HoldTest {
  protected:
    class All : public TreeVisitor {
      public:
        void enter(std::string_view path, uint32_t bits) override {
            path_ = path;
            EXPECT_EQ(bits, path.empty() ? 0U : 5U);
        }
        void entry(std::string_view name, FileKind) override {
            seen.insert(path_.empty() ? std::string(name) : path_ + "/" + std::string(name));
        }
        bool descend(std::string_view name, uint32_t& bits) override {
            bits = 5;
            return name != "skipped";
        }
        std::multiset<std::string> seen;

      private:
        std::string path_;
    };

    std::multiset<std::string> walk(TreeOptions options, TreeResult* result = nullptr) {
        std::vector<std::unique_ptr<All>> visitors;
        Fd root(open(project_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        TreeResult walked = walk_tree(root.get(), options, [&]() -> TreeVisitor& {
            visitors.push_back(std::make_unique<All>());
            return *visitors.back();
        });
        std::multiset<std::string> all;
        for (const auto& visitor : visitors) {
            all.insert(visitor->seen.begin(), visitor->seen.end());
        }
        if (result != nullptr) {
            *result = walked;
        }
        return all;
    }
};

TEST_F(TreeTest, ManyThreadsSeeEachEntryOnce) {
    std::multiset<std::string> expected;
    for (int a = 0; a < 12; ++a) {
        for (int b = 0; b < 12; ++b) {
            std::string folder = std::to_string(a) + "/" + std::to_string(b);
            fs::create_directories(at(folder));
            for (int c = 0; c < 4; ++c) {
                std::ofstream(at(folder + "/f" + std::to_string(c)));
                expected.insert(folder + "/f" + std::to_string(c));
            }
            expected.insert(folder);
        }
        expected.insert(std::to_string(a));
    }
    for (unsigned threads : {1U, 2U, 5U}) {
        for (uint64_t large : {1U, 100U, 1000000U}) {
            TreeOptions options;
            options.threads = threads;
            options.large = large;
            EXPECT_EQ(walk(options), expected) << threads << " " << large;
        }
    }
}

TEST_F(TreeTest, LinksAreNotFollowedAndSkippedFoldersNotEntered) {
    write("skipped/x", "");
    fs::create_symlink("/", at("root"));
    fs::create_symlink("nowhere", at("broken"));
    mkfifo(at("pipe").c_str(), 0600);
    EXPECT_EQ(walk({}), (std::multiset<std::string>{"skipped", "root", "broken", "pipe"}));
}

TEST_F(TreeTest, ACombOfFoldersNeedsFewDescriptors) {
    perform([&] {
        ASSERT_EQ(chdir(project_.c_str()), 0);
        for (int i = 0; i < 3000; ++i) {  // far longer than any path may be
            ASSERT_EQ(mkdir("a", 0755), 0);
            ASSERT_EQ(mkdir("b", 0755), 0);
            ASSERT_EQ(chdir("a"), 0);
        }
        std::ofstream("file") << "x";
    });
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    rlimit few{100, limit.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
    TreeResult result;
    auto seen = walk({}, &result);
    setrlimit(RLIMIT_NOFILE, &limit);
    EXPECT_EQ(seen.size(), 6001U);
    EXPECT_TRUE(result.unreadable.empty());
}

TEST_F(TreeTest, FoldersThatCannotBeReadAreNamedOrForced) {
    write("a/b/c", "");
    chmod(at("a/b").c_str(), 0);
    TreeResult result;
    walk({}, &result);
    if (geteuid() != 0) {
        EXPECT_EQ(result.unreadable, std::vector<std::string>{"a/b"});
        TreeOptions force;
        force.force = true;
        EXPECT_EQ(walk(force, &result).count("a/b/c"), 1U);
        ASSERT_EQ(result.forced.size(), 1U);
        EXPECT_EQ(result.forced[0].second, 0U);
    }
}

}  // namespace
}  // namespace sbx::hold
