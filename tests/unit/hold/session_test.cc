// What one run may leave behind, and what it may not (issue 4, "hold").
#include "hold/session.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <csignal>

#include "unit/hold/fixture.h"

namespace sbx::hold {
namespace {

using testing::Test;

class SessionTest : public HoldTest {
  protected:
    /// The command's change is undone, byte for byte, and kept.
    void expect_held(const std::function<void()>& command, const std::string& path, const std::string& content) {
        auto before = tree();
        Report report = run(command);
        EXPECT_EQ(tree(), before);
        EXPECT_TRUE(report.failed.empty()) << report.failed.front();
        EXPECT_NE(std::find(report.held.begin(), report.held.end(), path), report.held.end()) << path;
        EXPECT_EQ(held_content(path), content);
        EXPECT_TRUE(fs::is_empty(runtime_)) << "live state left behind";
    }
};

TEST_F(SessionTest, NothingHandedOverWritesNoState) {
    write("main.py", "print()\n");
    auto before = tree();
    Report report = run([&] { write("out.txt", "result"); });
    EXPECT_TRUE(report.held.empty());
    EXPECT_EQ(read("out.txt"), "result");
    fs::remove(at("out.txt"));
    EXPECT_EQ(tree(), before);
    EXPECT_FALSE(fs::exists(state_));
    EXPECT_TRUE(fs::is_empty(runtime_));
}

TEST_F(SessionTest, HoldsCreatedFile) {
    expect_held([&] { write(".vscode/tasks.json", "evil"); }, ".vscode/tasks.json", "evil");
}

TEST_F(SessionTest, HoldsChangedFileWithItsModeAndTime) {
    write(".envrc", "old", 0640);
    timespec times[2] = {{1000, 0}, {1234567, 89}};
    utimensat(AT_FDCWD, at(".envrc").c_str(), times, 0);
    expect_held([&] { write(".envrc", "evil", 0755); }, ".envrc", "evil");
    struct stat status {};
    stat(at(".envrc").c_str(), &status);
    EXPECT_EQ(status.st_mtim.tv_sec, 1234567);
    EXPECT_EQ(status.st_mtim.tv_nsec, 89);
}

TEST_F(SessionTest, PutsARemovedFileBack) {
    write("pkg/.npmrc", "ignore-scripts=true\n");
    auto before = tree();
    Report report = run([&] { fs::remove_all(at("pkg")); });
    EXPECT_EQ(read("pkg/.npmrc"), "ignore-scripts=true\n");
    EXPECT_EQ(tree(), before);
    ASSERT_EQ(held().size(), 1U);
    EXPECT_EQ(held()[0].before.count("pkg/.npmrc"), 1U);
}

TEST_F(SessionTest, AnyDepthAndAnyLetterCase) {
    fs::create_directories(at("a/b/c/d/e"));
    expect_held([&] { write("a/b/c/d/e/.VsCode/Tasks.json", "x"); }, "a/b/c/d/e/.VsCode/Tasks.json", "x");
    fs::create_directories(at("a/.Cargo"));
    expect_held([&] { write("a/.Cargo/CONFIG.toml", "x"); }, "a/.Cargo/CONFIG.toml", "x");
}

TEST_F(SessionTest, RenamedIntoPlace) {
    write(".mcp.json", "{}");
    expect_held(
        [&] {
            write("x", "evil");
            fs::rename(at("x"), at(".mcp.json"));
        },
        ".mcp.json", "evil");
}

TEST_F(SessionTest, WholeDirectoryRenamedIntoPlace) {
    expect_held(
        [&] {
            write("tmp/a/settings.json", "evil");
            fs::rename(at("tmp"), at(".claude"));
        },
        ".claude/a/settings.json", "evil");
}

TEST_F(SessionTest, RenamedAway) {
    write(".husky/pre-commit", "#!/bin/sh\n", 0755);
    auto before = tree();
    run([&] { fs::rename(at(".husky"), at("husky")); });
    EXPECT_EQ(read(".husky/pre-commit"), "#!/bin/sh\n");
    fs::remove_all(at("husky"));
    EXPECT_EQ(tree(), before);
}

TEST_F(SessionTest, ThroughAHardLink) {
    write(".mcp.json", "{}");
    expect_held(
        [&] {
            (void)!link(at(".mcp.json").c_str(), at("alias").c_str());
            write("alias", "evil");
            fs::remove(at("alias"));
        },
        ".mcp.json", "evil");
}

TEST_F(SessionTest, AHardLinkThatStaysNoLongerReachesTheFile) {
    write(".mcp.json", "{}");
    run([&] {
        (void)!link(at(".mcp.json").c_str(), at("alias").c_str());
        write("alias", "evil");
    });
    EXPECT_EQ(read(".mcp.json"), "{}");
    write("alias", "later");
    EXPECT_EQ(read(".mcp.json"), "{}");
}

TEST_F(SessionTest, LinkToAFolderInTheProject) {  // escape-bench d-late-symlink
    fs::create_directories(at(".ai/claude"));
    fs::create_symlink(".ai/claude", at(".claude"));
    expect_held([&] { write(".ai/claude/settings.json", "evil"); }, ".ai/claude/settings.json", "evil");
}

TEST_F(SessionTest, LinkToTheProjectItselfHoldsNothingElse) {
    fs::create_symlink(".", at(".claude"));
    Report report = run([&] { write("main.py", "work"); });
    EXPECT_TRUE(report.held.empty());
    EXPECT_EQ(read("main.py"), "work");
}

TEST_F(SessionTest, NewLinkIsHeld) {
    write("elsewhere/settings.json", "{}");
    expect_held([&] { fs::create_symlink("elsewhere", at(".claude")); }, ".claude", "elsewhere");
    EXPECT_EQ(held()[0].after.size(), 1U) << "the user's own files are none of it";
}

TEST_F(SessionTest, FolderReplacedByALink) {
    write(".vscode/settings.json", "{}");
    auto before = tree();
    run([&] {
        fs::rename(at(".vscode"), at("real"));
        write("real/settings.json", "evil");
        fs::create_symlink("real", at(".vscode"));
    });
    fs::remove_all(at("real"));
    EXPECT_EQ(tree(), before);
}

TEST_F(SessionTest, ParentReplacedByALink) {
    write("sub/.vscode/settings.json", "{}");
    write("sub/main.c", "int main;");
    Report report = run([&] {
        fs::rename(at("sub"), at("moved"));
        fs::create_symlink("moved", at("sub"));
        write("moved/.vscode/settings.json", "evil");
    });
    EXPECT_NE(read("sub/.vscode/settings.json"), "evil");
    EXPECT_EQ(held_content("moved/.vscode/settings.json"), "evil");
    // The next run must be possible and must not lose the user's version.
    run([] {});
    bool kept = read("sub/.vscode/settings.json") == "{}";
    for (const Held& one : held()) {
        auto found = one.before.find("sub/.vscode/settings.json");
        kept = kept || (found != one.before.end() && found->second.content == "{}");
    }
    EXPECT_TRUE(kept);
}

TEST_F(SessionTest, ParentReplacedByALinkThatLeadsOut) {
    write("sub/.envrc", "mine");
    fs::create_directory(base_ + "/outside");
    run([&] {
        fs::remove_all(at("sub"));
        fs::create_symlink(base_ + "/outside", at("sub"));
    });
    EXPECT_TRUE(fs::is_empty(base_ + "/outside")) << "restored through a link";
}

TEST_F(SessionTest, ParentReplacedByAFile) {
    write("sub/.envrc", "mine");
    run([&] {
        fs::remove_all(at("sub"));
        write("sub", "a file");
    });
    EXPECT_EQ(held().size(), 1U);
    EXPECT_EQ(held()[0].before.at("sub/.envrc").content, "mine");
}

TEST_F(SessionTest, FolderBecomesAFileAndBack) {
    write(".vscode/settings.json", "{}");
    expect_held(
        [&] {
            fs::remove_all(at(".vscode"));
            write(".vscode", "evil");
        },
        ".vscode", "evil");
    write(".envrc", "x");
    expect_held(
        [&] {
            fs::remove(at(".envrc"));
            write(".envrc/y", "evil");
        },
        ".envrc/y", "evil");
}

TEST_F(SessionTest, HostileNames) {
    std::string longest(255, 'n');
    std::vector<std::string> names = {"a\nb", "\x1b[31m", "\xff\xfe", longest, "-rf", "con fig", "*"};
    auto before = tree();
    Report report = run([&] {
        for (const std::string& name : names) {
            write(name + "/.vscode/" + name, "evil");
            write(".claude/" + name, "evil");
        }
    });
    for (const std::string& name : names) {
        EXPECT_EQ(held_content(name + "/.vscode/" + name), "evil");
        EXPECT_EQ(held_content(".claude/" + name), "evil");
        EXPECT_FALSE(there(name + "/.vscode"));
        fs::remove_all(at(name));
    }
    EXPECT_EQ(tree(), before);
    EXPECT_TRUE(report.failed.empty());
}

TEST_F(SessionTest, ModesThatHide) {
    auto before = tree();
    run([&] {
        write("x/.vscode/tasks.json", "evil");
        chmod(at("x/.vscode/tasks.json").c_str(), 0);
        chmod(at("x/.vscode").c_str(), 0);
        write(".envrc", "evil");
        chmod(at(".envrc").c_str(), 0);
    });
    EXPECT_FALSE(there("x/.vscode"));
    EXPECT_FALSE(there(".envrc"));
    EXPECT_EQ(held_content("x/.vscode/tasks.json"), "evil");
    fs::remove_all(at("x"));
    EXPECT_EQ(tree(), before);
}

TEST_F(SessionTest, AFolderThatCannotBeSearchedHidesNothing) {
    run([&] {
        write("x/.vscode/tasks.json", "evil");
        chmod(at("x").c_str(), 0);
    });
    chmod(at("x").c_str(), 0700);
    EXPECT_FALSE(there("x/.vscode/tasks.json"));
    EXPECT_EQ(held_content("x/.vscode/tasks.json"), "evil");
}

TEST_F(SessionTest, FolderWithoutWritePermissionIsCleanedAllTheSame) {
    auto before = tree();
    run([&] {
        write("x/.envrc", "evil");
        chmod(at("x").c_str(), 0555);
    });
    EXPECT_FALSE(there("x/.envrc"));
    chmod(at("x").c_str(), 0755);
    fs::remove_all(at("x"));
    EXPECT_EQ(tree(), before);
}

TEST_F(SessionTest, SpecialFilesDoNotStopIt) {
    auto before = tree();
    Report report = run([&] {
        mkfifo(at(".envrc").c_str(), 0644);
        fs::create_directory(at(".vscode"));
        mkfifo(at(".vscode/pipe").c_str(), 0644);
        write(".vscode/tasks.json", "evil");
    });
    EXPECT_FALSE(there(".envrc"));
    EXPECT_FALSE(there(".vscode"));
    EXPECT_EQ(held_content(".vscode/tasks.json"), "evil");
}

TEST_F(SessionTest, DependencyFoldersCountForGitOnly) {
    Report report = run([&] {
        write("node_modules/x/.npmrc", "audit=false");
        write("node_modules/x/.vscode/settings.json", "{}");
        write("node_modules/y/.git/HEAD", "ref: refs/heads/main\n");
        fs::create_directories(at("node_modules/y/.git/objects"));
        fs::create_directories(at("node_modules/y/.git/refs"));
        write("node_modules/y/.git/hooks/pre-commit", "evil", 0755);
    });
    EXPECT_EQ(read("node_modules/x/.npmrc"), "audit=false");
    EXPECT_TRUE(there("node_modules/x/.vscode/settings.json"));
    EXPECT_FALSE(there("node_modules/y/.git/hooks/pre-commit"));
    EXPECT_EQ(held_content("node_modules/y/.git/hooks/pre-commit"), "evil");
}

TEST_F(SessionTest, NewRepositoryStaysUsable) {
    run([&] {
        fs::create_directories(at("new"));
        std::string git = "cd '" + at("new") + "' && git init -q -b main . && git config user.name me && "
                          "git config core.fsmonitor 'touch PWNED' && git config remote.origin.url https://x.example/a && "
                          "git config remote.origin.fetch '+refs/heads/*:refs/remotes/origin/*' && "
                          "git config filter.x.clean evil && printf '#!/bin/sh\\n' > .git/hooks/pre-commit && "
                          "chmod +x .git/hooks/pre-commit";
        EXPECT_EQ(system(git.c_str()), 0);
    });
    EXPECT_FALSE(there("new/.git/hooks/pre-commit"));
    EXPECT_TRUE(there("new/.git/hooks/pre-commit.sample"));
    std::string config = read("new/.git/config");
    EXPECT_EQ(config.find("fsmonitor"), std::string::npos);
    EXPECT_EQ(config.find("clean"), std::string::npos);
    EXPECT_NE(config.find("https://x.example/a"), std::string::npos);
    EXPECT_NE(held_content("new/.git/config").find("fsmonitor"), std::string::npos);
    EXPECT_EQ(system(("cd '" + at("new") + "' && git status -s >/dev/null && git -c user.email=a@b "
                      "commit -q --allow-empty -m x && test ! -e PWNED").c_str()), 0);
}

TEST_F(SessionTest, OrdinaryNewRepositoryHoldsNothing) {
    Report report = run([&] { EXPECT_EQ(system(("git init -q '" + at("new") + "'").c_str()), 0); });
    EXPECT_TRUE(report.held.empty());
    EXPECT_TRUE(there("new/.git/HEAD"));
}

TEST_F(SessionTest, PlantedBareRepository) {  // escape-bench c-planted-bare
    run([&] {
        EXPECT_EQ(system(("git init -q --bare '" + at("docs/site") + "' && git -C '" + at("docs/site") +
                          "' config core.fsmonitor 'touch PWNED'; git -C '" + at("docs/site") +
                          "' config core.bare false; git -C '" + at("docs/site") + "' config core.worktree ..")
                             .c_str()),
                  0);
    });
    std::string config = read("docs/site/config");
    EXPECT_EQ(config.find("fsmonitor"), std::string::npos);
    EXPECT_EQ(config.find("worktree"), std::string::npos);
}

TEST_F(SessionTest, GitFileThatLeadsIntoObjects) {
    EXPECT_EQ(system(("git init -q '" + project_ + "'").c_str()), 0);
    plan_.handover.git_dirs = {at(".git")};
    run([&] {
        std::string evil = at(".git/objects/ab/evil");
        EXPECT_EQ(system(("mkdir -p '" + at("sub") + "' && git init -q --bare '" + evil + "' && git -C '" + evil +
                          "' config core.fsmonitor 'touch PWNED; false' && git -C '" + evil + "' config core.bare false")
                             .c_str()),
                  0);
        write("sub/.git", "gitdir: ../.git/objects/ab/evil\n");
    });
    (void)!system(("cd '" + at("sub") + "' && git status >/dev/null 2>&1").c_str());
    EXPECT_FALSE(there("sub/PWNED"));
}

TEST_F(SessionTest, ExistingNestedRepositoryKeepsItsConfigAndHooks) {
    EXPECT_EQ(system(("git init -q '" + at("vendor/n") + "'").c_str()), 0);
    write("vendor/n/.git/hooks/post-checkout", "#!/bin/sh\n", 0755);
    expect_held(
        [&] {
            (void)!system(("git -C '" + at("vendor/n") + "' config core.fsmonitor evil").c_str());
            write("vendor/n/.git/hooks/post-checkout", "evil", 0755);
        },
        "vendor/n/.git/hooks/post-checkout", "evil");
}

TEST_F(SessionTest, HooksFolderReplacedByALink) {
    EXPECT_EQ(system(("git init -q '" + at("n") + "'").c_str()), 0);
    run([&] {
        fs::remove_all(at("n/.git/hooks"));
        write("h/pre-commit", "evil", 0755);
        fs::create_symlink("../../h", at("n/.git/hooks"));
    });
    EXPECT_FALSE(there("n/.git/hooks/pre-commit"));
}

TEST_F(SessionTest, InfoAttributesAloneAreHarmless) {
    // A filter or diff driver needs configuration, which is held.
    Report report = run([&] {
        EXPECT_EQ(system(("git init -q '" + at("n") + "'").c_str()), 0);
        write("n/.git/info/attributes", "* filter=x\n");
    });
    EXPECT_TRUE(report.failed.empty());
}

TEST_F(SessionTest, ReportsInsteadWhenAsked) {
    plan_.handover.handover = Handover::Report;
    Report report = run([&] { write(".envrc", "x"); });
    EXPECT_EQ(read(".envrc"), "x");
    EXPECT_EQ(report.reported, std::vector<std::string>{".envrc"});
    EXPECT_TRUE(report.held.empty());
}

TEST_F(SessionTest, OffLeavesEverything) {
    plan_.handover.handover = Handover::Off;
    plan_.handover.report_instructions = true;
    Report report = run([&] {
        write(".envrc", "x");
        EXPECT_EQ(system(("git init -q '" + at("n") + "' && git -C '" + at("n") + "' config alias.x '!true'").c_str()), 0);
        write("n/.git/hooks/pre-commit", "x", 0755);
    });
    EXPECT_TRUE(report.held.empty() && report.reported.empty());
    EXPECT_TRUE(there(".envrc") && there("n/.git/hooks/pre-commit"));
    EXPECT_NE(read("n/.git/config").find("alias"), std::string::npos);
}

TEST_F(SessionTest, ReportsRepositoriesToo) {
    plan_.handover.handover = Handover::Report;
    Report report = run([&] {
        EXPECT_EQ(system(("git init -q '" + at("n") + "'").c_str()), 0);
        write("n/.git/hooks/pre-commit", "x", 0755);
    });
    EXPECT_EQ(report.reported, std::vector<std::string>{"n/.git/hooks/pre-commit"});
    EXPECT_TRUE(there("n/.git/hooks/pre-commit"));
}

TEST_F(SessionTest, InstructionsAreHeldOnlyWhenTheGuardApplies) {
    plan_.handover.report_instructions = true;
    Report report = run([&] { write("AGENTS.md", "obey"); });
    EXPECT_EQ(report.reported, std::vector<std::string>{"AGENTS.md"});
    EXPECT_EQ(read("AGENTS.md"), "obey");
    plan_.handover.hold_instructions = true;
    for (const char* name : {"AGENTS.md", "CLAUDE.md", "SOUL.md", "MEMORY.md", "USER.md", "GEMINI.md", ".pi/x",
                             ".agents/a", ".github/copilot-instructions.md", "deep/down/claude.md"}) {
        fs::create_directories(fs::path(at(name)).parent_path());
        run([&] { write(name, "evil"); });
        EXPECT_NE(read(name), "evil") << name;
        EXPECT_EQ(held_content(name), "evil");
    }
}

TEST_F(SessionTest, HeldReportNamesFilesNotTheirFolders) {
    Report report = run([&] { write(".vscode/tasks.json", "x"); });
    EXPECT_EQ(report.held, std::vector<std::string>{".vscode/tasks.json"});
}

}  // namespace
}  // namespace sbx::hold
