// The profile's text: hostile paths, Fusion's facts (requirements 2.1), what never appears, golden files.
#include "macos/render/seatbelt.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "macos/render/sbpl_text.h"
#include "plan/query.h"
#include "util/text.h"
#include "unit/macos/evaluator.h"
#include "unit/macos/profiles.h"

namespace sbx {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Plan small_plan(const std::string& path, Access access) {
    Plan plan;
    plan.backend = Backend::SandboxExec;
    plan.mounts = {test::bound(path, Purpose::WriteGrant, access)};
    return plan;
}

TEST(SbplString, EscapesAsFusionDoes) {
    EXPECT_EQ(sbpl_string("a\\b\"c d"), "\"a\\\\b\\\"c d\"");
    EXPECT_TRUE(has(sbpl_string("emoji-\xf0\x9f\x93\xa6"), "\\xf0\\x9f\\x93\\xa6"));
    EXPECT_EQ(sbpl_string("\n\x7f"), "\"\\x0a\\x7f\"");
    EXPECT_EQ(sbpl_string(""), "\"\"");
}

TEST(SbplString, SplitsWhatOneLiteralCannotHold) {
    std::string text = sbpl_string(std::string(450, 'x'));
    EXPECT_EQ(text.rfind("(string-append \"", 0), 0U);
    EXPECT_EQ(sbpl_string(std::string(200, 'x')), "\"" + std::string(200, 'x') + "\"");
}

TEST(PathSpellings, KnowsThePrivateLinks) {  // tldw_chatbook#897
    EXPECT_EQ(path_spellings("/tmp/x"), (std::vector<std::string>{"/tmp/x", "/private/tmp/x"}));
    EXPECT_EQ(path_spellings("/private/var/a"), (std::vector<std::string>{"/private/var/a", "/var/a"}));
    EXPECT_EQ(path_spellings("/tmpx"), (std::vector<std::string>{"/tmpx"}));
    EXPECT_EQ(path_spellings("/private/x"), (std::vector<std::string>{"/private/x"}));
}

std::vector<std::string> hostile_names() {
    std::string every;
    for (int byte = 1; byte < 256; ++byte) {
        every += byte == '/' ? 'x' : static_cast<char>(byte);
    }
    return {
        "quote\"inside", "back\\slash", "ends with \\", "(allow default)", "\")(allow default)(deny file-read* (literal \"", "two\nlines",
        "tab\tand\rreturn", "semi;colon", "caf\xc3\xa9 \xe6\x97\xa5\xe6\x9c\xac", "not utf8 \xff\xfe", "#\"raw\"", "'quoted", "%s%n", "\\x41",
        std::string(1000, 'a'), std::string(300, '"'), std::string(250, '\\'), every};
}

TEST(Seatbelt, HostilePathsArriveByteForByte) {
    SBX_NEED_EVALUATOR(evaluator);
    for (const std::string& name : hostile_names()) {
        std::string path = "/Volumes/d/" + name;
        for (bool old : {false, true}) {
            Plan plan = small_plan(path, Access::Write);
            plan.mounts[0].rule = name;           // goes into a comment
            plan.mounts[0].origin = Origin::flag(name);
            auto profile = render_seatbelt(plan, test::mac_facts());
            ASSERT_TRUE(profile.ok());
            ASSERT_EQ(evaluator.load(*profile, old), "ok") << *profile;
            EXPECT_TRUE(evaluator.allows_path("file-write-data", path));
            EXPECT_TRUE(evaluator.allows_path("file-write-data", path + "/x"));
            EXPECT_FALSE(evaluator.allows_path("file-write-data", path + "x"));
            EXPECT_FALSE(evaluator.allows_path("file-read-data", "/Users/me/x"));
            EXPECT_FALSE(evaluator.allows_path("file-write-data", path.substr(0, path.size() - 1)));
        }
    }
}

/// TinyScheme itself, the reader that Apple's compiler came from, where it is installed.
TEST(Seatbelt, HostileStringsGoThroughARealTinyScheme) {
    const char* tool = "/usr/bin/tinyscheme";
    if (access(tool, X_OK) != 0) {
        GTEST_SKIP() << "tinyscheme is not installed";
    }
    std::string program;
    std::string expected;
    for (const std::string& name : hostile_names()) {
        program += "(display " + sbpl_string(name) + ")(newline)\n";
        expected += name + "\n";
    }
    std::string pattern = testing::TempDir() + "sbx-scheme-XXXXXX";
    int fd = mkstemp(pattern.data());
    ASSERT_GE(fd, 0);
    close(fd);
    std::ofstream(pattern) << program;
    FILE* run = popen((std::string(tool) + " -1 " + pattern + " </dev/null").c_str(), "r");
    ASSERT_NE(run, nullptr);
    std::string output;
    for (int c = fgetc(run); c != EOF; c = fgetc(run)) {
        output += static_cast<char>(c);
    }
    EXPECT_EQ(pclose(run), 0);
    unlink(pattern.c_str());
    EXPECT_EQ(output, expected);
}

TEST(Seatbelt, RefusesPathsThatAreNotCanonical) {
    for (const std::string& path : {std::string(""), std::string("relative"), std::string("/a/../b"), std::string("/a/"),
                                    std::string("/a//b"), std::string("/a\0b", 4)}) {
        EXPECT_FALSE(render_seatbelt(small_plan(path, Access::Read), test::mac_facts()).ok()) << path;
    }
}

TEST(Seatbelt, RefusesWhatItHasNoWordsFor) {
    Plan plan = small_plan("/a", Access::Read);
    plan.mounts[0].source = "/b";
    auto moved = render_seatbelt(plan, test::mac_facts());
    ASSERT_FALSE(moved.ok());
    EXPECT_EQ(moved.error().code, "not_expressible");
    plan = small_plan("/a", Access::Write);
    plan.mounts[0].kind = Mount::Kind::Tmpfs;
    EXPECT_FALSE(render_seatbelt(plan, test::mac_facts()).ok());
    EXPECT_EQ(test::plan_of_profile("", {{"limits.cpus", "2"}}, test::mac_facts()).error().code, "not_expressible");
    EXPECT_EQ(test::plan_of_profile("", {{"sandbox.nested", "on"}}, test::mac_facts()).error().code, "not_expressible");
}

TEST(Seatbelt, NeverSaysWhatWouldOpenIt) {  // C21, P36 to P39, stim#551
    HostFacts facts = test::mac_facts();
    for (const ShippedProfile& shipped : shipped_profiles()) {
        auto plan = test::plan_of_profile(std::string(shipped.name), {}, facts);
        ASSERT_TRUE(plan.ok()) << shipped.name << ": " << plan.error().message;
        std::string text = *render_seatbelt(*plan, facts);
        std::string code;
        for (const auto& line : split(text, '\n')) {
            code += line.empty() || line.rfind(';', 0) == 0 ? "" : line + "\n";
        }
        for (const char* never : {"no-sandbox", "import", "regex", "#\"", "launchservices", "lsopen", "appleevent", "SecurityServer",
                                  "securityd", "pasteboard", "cfprefsd", "(allow default)", "(allow file-read*)",
                                  "(allow file-write*)", "(allow mach-lookup)", "(allow signal)", "127.0.0.1"}) {
            EXPECT_FALSE(has(code, never)) << shipped.name << ": " << never;
        }
        EXPECT_EQ(code.rfind("(version 1)\n(deny default)\n", 0), 0U) << shipped.name;  // F35, P21
        // F41: the last line of all.
        std::string last = "(deny network-bind (local ip \"*:4040\"))\n";
        EXPECT_EQ(code.substr(code.size() - last.size()), last) << shipped.name;
    }
}

/// Requirements 2.1, "test of policyToSbplProfile", with its context: worktree /tmp/worktree and so on. The
/// original's defects that are corrected here: its paths were not resolved (/tmp never matched), so the
/// resolved spelling stands beside it; write paths could not be read (C19); the branch without network
/// had no 4040 line (F41); launchservicesd was open (C21); all of /private/var/folders was readable (C22);
/// .fusion was compared as text and only in the repository's root (C13).
class FusionFacts : public testing::Test {
  protected:
    FusionFacts() : facts_(test::mac_facts()) {
        facts_.home = "/Users/test";
        facts_.cwd = "/private/tmp/worktree";
        facts_.git.reset();
        facts_.toolchains.clear();
        for (const char* path : {"/private/tmp/worktree", "/private/tmp/repo", "/Users/test/Library/pnpm/store", "/opt/custom-read"}) {
            test::add_path(facts_, path);
        }
        facts_.paths["/tmp/worktree"] = facts_.paths["/private/tmp/worktree"];
        facts_.paths["/tmp/repo"] = facts_.paths["/private/tmp/repo"];
        facts_.paths["/tmp/custom write"] = PathFacts{"/private/tmp/custom write", FileKind::Directory, false, true};
    }

    std::string profile(test::Flags flags) {
        flags.insert(flags.begin(), {"sandbox.worktree", "/tmp/worktree"});
        auto plan = test::plan_of_profile("", flags, facts_);
        EXPECT_TRUE(plan.ok()) << plan.error().message;
        return plan.ok() ? *render_seatbelt(*plan, facts_) : "";
    }

    HostFacts facts_;
};

TEST_F(FusionFacts, Network) {  // F39, F40
    std::string on = profile({{"sandbox.network", "on"}});
    EXPECT_TRUE(has(on, "(version 1)"));
    EXPECT_TRUE(has(on, "(allow network-outbound)"));
    EXPECT_TRUE(has(on, "(allow network-bind (local ip))"));
    EXPECT_TRUE(has(on, "(allow system-socket)"));
    std::string off = profile({{"sandbox.network", "off"}});
    EXPECT_TRUE(has(off, "(version 1)"));
    EXPECT_TRUE(has(off, "(deny network*)"));
    EXPECT_FALSE(has(off, "(allow network"));
    for (const std::string& text : {on, off}) {
        EXPECT_TRUE(has(text, "(deny network-bind (local ip \"*:4040\"))"));  // F41
    }
}

TEST_F(FusionFacts, Paths) {  // F36, F37
    std::string text = profile({{"sandbox.allowedWritePaths", "/tmp/custom write"},
                                {"sandbox.allowedWritePaths", "/Users/test/Library/pnpm/store"},
                                {"sandbox.allowedReadPaths", "/opt/custom-read"}});
    for (const char* path : {"/private/tmp/worktree", "/tmp/worktree", "/Users/test/Library/pnpm/store", "/private/tmp/custom write",
                             "/tmp/custom write", "/private/tmp"}) {
        std::string quoted = "\"" + std::string(path) + "\"";
        EXPECT_TRUE(has(text, "(allow file-write* (literal " + quoted + ") (subpath " + quoted + "))")) << path;
        EXPECT_TRUE(has(text, "(allow file-read* (literal " + quoted + ") (subpath " + quoted + "))")) << path;
    }
    EXPECT_TRUE(has(text, "(allow file-read* (literal \"/opt/custom-read\") (subpath \"/opt/custom-read\"))") ||
                has(text, "(allow file-read* (literal \"/opt\") (subpath \"/opt\"))"));
    for (const char* path : {"/usr", "/bin", "/sbin", "/System", "/Library"}) {  // F38
        EXPECT_TRUE(has(text, "(allow file-read* (literal \"" + std::string(path) + "\") (subpath")) << path;
    }
}

TEST_F(FusionFacts, Errors) {  // F42, F43, F44, F45
    auto port = test::plan_of_profile("", {{"sandbox.allowedPorts", "4040"}}, facts_);
    EXPECT_FALSE(port.ok());
    for (const char* path : {"/tmp/repo/.fusion/tasks", "/tmp/repo/.fusion/fusion.db"}) {
        std::string resolved = "/private" + std::string(path);
        facts_.paths[path] = PathFacts{resolved, FileKind::Directory, false, true};
        auto plan = test::plan_of_profile("", {{"sandbox.worktree", "/tmp/worktree"}, {"sandbox.allowedWritePaths", path}}, facts_);
        ASSERT_FALSE(plan.ok()) << path;
        EXPECT_TRUE(has(plan.error().message, ".fusion")) << plan.error().message;
    }
}

TEST(Seatbelt, TheCommandLineIsFixed) {  // F33
    EXPECT_EQ(std::string(kSandboxExec), "/usr/bin/sandbox-exec");
    EXPECT_EQ(seatbelt_command("/usr/bin/sandbox-exec", "/p/profile.sb", {"-f", "x", "--"}),
              (std::vector<std::string>{"/usr/bin/sandbox-exec", "-f", "/p/profile.sb", "--", "-f", "x", "--"}));
}

TEST(Seatbelt, DenialsCarryTheTagOnRequest) {
    SeatbeltOptions options;
    options.denial_tag = "sbx.run.x";
    Plan plan = small_plan("/a", Access::Write);
    plan.mounts.push_back(test::mask("/a/s"));
    std::string text = *render_seatbelt(plan, test::mac_facts(), options);
    EXPECT_TRUE(has(text, "(deny default (with message \"sbx.run.x\"))"));
    EXPECT_TRUE(has(text, "(deny file-read* (literal \"/a/s\") (subpath \"/a/s\") (with message \"sbx.run.x\"))"));
    SBX_NEED_EVALUATOR(evaluator);
    EXPECT_EQ(evaluator.load(text), "ok");
}

TEST(MacPlan, GivesTheCommandItsPlaces) {  // C15, P28, P40
    HostFacts facts = test::mac_facts();
    auto plan = test::plan_of_profile("", {}, facts);
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    EXPECT_EQ(query_environment(*plan, "HOME")->value, facts.mac.run_directory + "/home");
    EXPECT_EQ(query_environment(*plan, "TMPDIR")->value, facts.mac.run_directory + "/tmp");
    EXPECT_EQ(query_environment(*plan, "RUSTUP_HOME")->value, "/Users/me/.rustup");
    EXPECT_EQ(query_environment(*plan, "FUSION_RUN_ID")->value, "run-1");
    EXPECT_EQ(query_environment(*plan, "SECRET_TOKEN"), nullptr);
    EXPECT_EQ(query_environment(*plan, "XDG_RUNTIME_DIR"), nullptr);
    EXPECT_TRUE(plan->placeholders.empty());
    EXPECT_FALSE(query_bind(*plan, 4040));
    auto kept = test::plan_of_profile("pine", {}, facts);
    ASSERT_TRUE(kept.ok()) << kept.error().message;
    EXPECT_EQ(kept->home.rfind("/Users/me/.local/state/sbx/sandbox/", 0), 0U) << kept->home;
    for (const char* path : {"/Users", "/private/tmp", "/Applications", "/System/x", "/Volumes"}) {
        facts.git.reset();
        facts.cwd = path;
        EXPECT_FALSE(test::plan_of_profile("", {}, facts).ok()) << path;
    }
}

/// The whole text for two profiles. To take a wanted change in: SBX_UPDATE_GOLDEN=1 unit_tests.
TEST(Seatbelt, GoldenProfiles) {
    HostFacts facts = test::mac_facts();
    for (const char* name : {"default", "untrusted", "agent"}) {
        auto plan = test::plan_of_profile(name, {{"sandbox.home", "private"}}, facts);
        ASSERT_TRUE(plan.ok()) << plan.error().message;
        std::string text = *render_seatbelt(*plan, facts);
        std::string file = std::string(SBX_SOURCE_DIR "/tests/unit/macos/golden/") + name + ".sb";
        if (std::getenv("SBX_UPDATE_GOLDEN") != nullptr) {
            std::ofstream(file) << text;
        }
        std::ifstream stream(file);
        std::string golden((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
        EXPECT_EQ(text, golden) << name;
    }
}

}  // namespace
}  // namespace sbx
