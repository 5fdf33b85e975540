#include "policy/zones.h"

#include <gtest/gtest.h>

#include "host/gather.h"

namespace sbx {
namespace {

/// A machine with a home, a project in it, and nothing else of note.
class Zones_ : public testing::Test {
  protected:
    Zones_() {
        facts_.home = "/home/u";
        facts_.cwd = "/home/u/dev/app";
        facts_.config_dir = "/home/u/.config/sbx";
        facts_.state_dir = "/home/u/.local/state/sbx";
        facts_.executable = "/opt/sbx/bin/sbx";
        policy_.zones.safe.push_back(entry("~/dev"));
        policy_.zones.restricted.push_back(entry("/mnt/d"));
    }

    static PathEntry entry(const std::string& text) {
        PathEntry made;
        made.text = text;
        made.base = "/home/u/dev/app";
        made.origin = Origin::flag("--test");
        return made;
    }

    std::string path(const std::string& resolved, PathUse use) {
        auto result = check_path(policy_, facts_, resolved, use);
        return result ? "" : result.error().message;
    }

    std::string grant(const PathEntry& named, PathUse use) {
        auto result = check_grant(policy_, facts_, named, use);
        return result ? "" : result.error().message;
    }
    std::string grant(const std::string& text, PathUse use) { return grant(entry(text), use); }

    std::string worktree(const std::string& resolved) {
        auto result = check_worktree(policy_, facts_, resolved, Origin::built_in());
        return result ? "" : result.error().message;
    }

    void resolves(const std::string& from, const std::string& to) {
        facts_.paths[from] = {to, FileKind::Directory, true, true};
    }

    Policy policy_;
    HostFacts facts_;
};

// H8, H19
TEST_F(Zones_, ReadingInSafeAndRestricted) {  // H12, H23, H24, H34, H41, H51, H52
    EXPECT_EQ(path("/home/u/dev/x/a/b/c", PathUse::Read), "");
    EXPECT_EQ(path("/home/u/notes", PathUse::Read), "");
    EXPECT_EQ(path("/mnt/d/x", PathUse::Read), "");
    EXPECT_EQ(path("/srv/x", PathUse::Read), "Path outside SAFE and RESTRICTED: /srv/x");
    EXPECT_EQ(path("/usr/share/dict", PathUse::Read), "");
    EXPECT_EQ(path("/var/log", PathUse::Read), "");
    EXPECT_EQ(path("/usr/share/dict", PathUse::Write), "Write outside SAFE: /usr/share/dict");
    EXPECT_EQ(path("/usr/lib/x", PathUse::Read), "Path in DENIED zone: /usr/lib/x (/usr)");
}

TEST_F(Zones_, WritingInSafeOnly) {  // H26, H28 to H32, H42, H48, C10
    EXPECT_EQ(path("/home/u/dev/new", PathUse::Write), "");
    EXPECT_EQ(path("/tmp/x", PathUse::Write), "");
    EXPECT_EQ(path("/mnt/d/x", PathUse::Write), "Write outside SAFE: /mnt/d/x");
    EXPECT_EQ(path("/home/u/notes", PathUse::Write), "Write outside SAFE: /home/u/notes");
    EXPECT_EQ(path("/srv/x", PathUse::Write), "Write outside SAFE: /srv/x");
    EXPECT_EQ(path("/home/u/.ssh", PathUse::Write), "Path in DENIED zone: /home/u/.ssh (.ssh/*)");
}

TEST_F(Zones_, LevelRestrictedWritesNothing) {  // H27
    policy_.zones.level.value = ZoneLevel::Restricted;
    EXPECT_EQ(path("/home/u/dev/x", PathUse::Write), "Write in RESTRICTED sandbox not allowed: /home/u/dev/x");
    EXPECT_EQ(grant("~/dev/x", PathUse::Write), "--test: Write in RESTRICTED sandbox not allowed: /home/u/dev/x");
    EXPECT_EQ(path("/home/u/dev/x", PathUse::Read), "");
}

// H56
TEST_F(Zones_, DeniedWinsOverEveryFolder) {  // H3, H13, H22, H46, H47, C8
    EXPECT_EQ(path("/home/u/.ssh/id_rsa", PathUse::Read), "Path in DENIED zone: /home/u/.ssh/id_rsa (.ssh/*)");
    EXPECT_EQ(path("/home/u/dev/app/.git/config", PathUse::Read),
              "Path in DENIED zone: /home/u/dev/app/.git/config (.git/*)");
    EXPECT_EQ(path("/home/u/dev/app/tls.key", PathUse::Read),
              "Path in DENIED zone: /home/u/dev/app/tls.key (*.key)");
    policy_.read_paths.push_back(entry("~/.aws"));
    EXPECT_EQ(grant("~/.aws", PathUse::Read), "--test: Path in DENIED zone: /home/u/.aws (.aws/*)");
}

TEST_F(Zones_, PrefixesEndAtComponents) {  // H18
    EXPECT_EQ(path("/tmp2/x", PathUse::Write), "Write outside SAFE: /tmp2/x");
    EXPECT_EQ(path("/home/u/dev2/x", PathUse::Write), "Write outside SAFE: /home/u/dev2/x");
    EXPECT_EQ(path("/home/user2", PathUse::Read), "Path outside SAFE and RESTRICTED: /home/user2");
}

struct SystemCase {
    const char* path;
    const char* rule;  // "" when it may be named
};

class SystemZones : public Zones_, public testing::WithParamInterface<SystemCase> {};

TEST_P(SystemZones, CriticalPathsAreNeverNamed) {  // H4, H5, H21, H23 to H25, C3, C9
    std::string expected = *GetParam().rule == '\0' ? ""
                                                    : "--test: Path in DENIED zone: " + std::string(GetParam().path) +
                                                          " (" + GetParam().rule + ")";
    EXPECT_EQ(grant(GetParam().path, PathUse::Read), expected);
}

INSTANTIATE_TEST_SUITE_P(
    Tatu, SystemZones,
    testing::Values(SystemCase{"/etc", "/etc"}, SystemCase{"/etc/cron.d/x", "/etc"}, SystemCase{"/sys", "/sys"},
                    SystemCase{"/proc/self/mem", "/proc"}, SystemCase{"/boot", "/boot"}, SystemCase{"/bin/sh", "/bin"},
                    SystemCase{"/sbin", "/sbin"}, SystemCase{"/lib", "/lib"}, SystemCase{"/lib64/x", "/lib64"},
                    SystemCase{"/usr", "/usr"}, SystemCase{"/usr/lib", "/usr"}, SystemCase{"/usr/share", ""},
                    SystemCase{"/usr/share/dict/words", ""}, SystemCase{"/var", "/var"},
                    SystemCase{"/var/lib/docker", "/var"}, SystemCase{"/var/log", ""}, SystemCase{"/var/log/syslog", ""},
                    SystemCase{"/tmp", "/tmp"}, SystemCase{"/tmp/ci/work", ""}, SystemCase{"/dev/sda", "/dev"},
                    SystemCase{"/run/docker.sock", "/run"}, SystemCase{"/run/media/u/disk", ""},
                    SystemCase{"/opt/custom-read", ""}, SystemCase{"/custom/ro", ""}));

TEST_F(Zones_, StrictTmp) {  // C9: profile tatu
    policy_.zones.strict_tmp.value = "/tmp/tatu";
    EXPECT_EQ(grant("/tmp/tatu", PathUse::Write), "");
    EXPECT_EQ(grant("/tmp/tatu/x", PathUse::Write), "");
    EXPECT_EQ(grant("/tmp/other", PathUse::Read), "--test: Path in DENIED zone: /tmp/other (/tmp)");
    EXPECT_EQ(grant("/tmp/tatu2", PathUse::Read), "--test: Path in DENIED zone: /tmp/tatu2 (/tmp)");
}

TEST_F(Zones_, NamedPathsAreJudgedWhereTheyLead) {  // H17, H20, H49, H54
    resolves("/home/u/dev/link", "/etc");
    EXPECT_EQ(grant("~/dev/link", PathUse::Read), "--test: Path in DENIED zone: /etc (/etc)");
    resolves("/home/u/dev/keys", "/home/u/.ssh");
    EXPECT_EQ(grant("~/dev/keys", PathUse::Read), "--test: Path in DENIED zone: /home/u/.ssh (.ssh/*)");
}

TEST_F(Zones_, NamingAPathInTheUsersPolicyIsEnough) {  // C4
    EXPECT_EQ(grant("/custom/write", PathUse::Write), "");
    EXPECT_EQ(grant("/opt/custom-read", PathUse::Read), "");
    policy_.write_paths.push_back(entry("/custom/write"));
    EXPECT_EQ(path("/custom/write/x", PathUse::Write), "");
}

TEST_F(Zones_, ProjectGrantsStayInTheProject) {  // C32, C4
    PathEntry confined = entry("/home/u/dev/app/data");
    confined.confined_to = "/home/u/dev/app";
    EXPECT_EQ(grant(confined, PathUse::Read), "");
    resolves("/home/u/dev/app/data", "/home/u/notes");
    EXPECT_NE(grant(confined, PathUse::Read).find("leads to /home/u/notes"), std::string::npos);
}

TEST_F(Zones_, FusionIsNeverWritable) {  // F43 to F45, C13
    const std::string message = "--test: Sandbox policy cannot include writable paths under .fusion/.";
    for (const char* text : {".fusion", ".fusion/fusion.db", ".fusion/tasks/1/a", "/srv/x/.fusion/y", ".Fusion/z"}) {
        EXPECT_EQ(grant(text, PathUse::Write), message) << text;
        EXPECT_EQ(grant(text, PathUse::Read), "") << text;
    }
    resolves("/home/u/dev/app/link", "/home/u/dev/app/.fusion/tasks");
    EXPECT_EQ(grant("link", PathUse::Write), message);
    EXPECT_EQ(grant("/home/u/dev/app", PathUse::Write), "") << "an ancestor is fine";
    EXPECT_EQ(grant("a.fusion", PathUse::Write), "");
}

TEST_F(Zones_, FusionWorktreeOnlyOnRequest) {  // C13
    EXPECT_NE(worktree("/r/.fusion/worktrees/fn-158"), "");
    policy_.allow_fusion_worktree.value = true;
    EXPECT_EQ(worktree("/r/.fusion/worktrees/fn-158"), "");
    EXPECT_NE(worktree("/r/.fusion/worktrees"), "");
    EXPECT_NE(worktree("/r/.fusion/worktrees/fn-158/sub"), "");
    EXPECT_NE(worktree("/r/.fusion"), "");
}

// P118
TEST_F(Zones_, SbxOwnFilesAreNeverGranted) {  // P5, P32, P46, P106, P107
    for (const char* text : {"~/.config", "~/.config/sbx", "~/.config/sbx/sbx.toml", "~/.local/state/sbx/trust", "/home",
                             "~", "/opt/sbx", "/opt"}) {
        EXPECT_NE(grant(text, PathUse::Write).find("holds sbx's own files"), std::string::npos) << text;
    }
    EXPECT_NE(grant("~/.config/sbx", PathUse::Read).find("holds sbx's own files"), std::string::npos);
    EXPECT_EQ(grant("~/.config", PathUse::Read), "") << "hidden inside instead";
    EXPECT_EQ(own_directories_in(facts_, "/home/u"), (std::vector<std::string>{facts_.config_dir, facts_.state_dir}));
    EXPECT_EQ(grant("~/.config/other", PathUse::Write), "");
}

TEST_F(Zones_, WholeDiskIsNoGrant) {  // C43
    EXPECT_EQ(grant("/", PathUse::Read), "--test: Choose a specific folder rather than the whole disk.");
}

TEST_F(Zones_, Worktrees) {  // C43, P46
    EXPECT_EQ(worktree("/"), "Choose a specific folder rather than the whole disk.");
    EXPECT_NE(worktree("/home/u"), "");
    EXPECT_NE(worktree("/home"), "");
    EXPECT_NE(worktree("/home/u/.config"), "");
    EXPECT_NE(worktree("/home/u/.config/sbx"), "");
    EXPECT_NE(worktree("/usr/lib/x"), "");
    EXPECT_NE(worktree("/etc"), "");
    EXPECT_NE(worktree("/tmp"), "");
    EXPECT_NE(worktree("/var"), "");
    EXPECT_NE(worktree("/home/u/.ssh"), "");
    EXPECT_NE(worktree("/home/u/dev/app/.git"), "");
    EXPECT_EQ(worktree("/home/u/dev/app"), "");
    EXPECT_EQ(worktree("/tmp/build"), "");
    EXPECT_EQ(worktree("/var/www/site"), "");
    EXPECT_EQ(worktree("/srv/x"), "");
    EXPECT_EQ(worktree("/opt/sbx"), "") << "sbx's own program is guarded there instead";
}

}  // namespace
}  // namespace sbx
