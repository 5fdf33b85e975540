// The evaluator itself against what was measured on real Macs and what Apple's compiler refuses: the
// sources are named with each row.
#include "unit/macos/evaluator.h"

namespace sbx {
namespace {

struct Measured {
    const char* what;
    const char* profile;
    const char* operation;
    std::vector<std::pair<std::string, std::string>> attributes;
    bool allowed;
};

TEST(SbplEvaluator, DecidesAsWasMeasuredOnRealMacs) {
    SBX_NEED_EVALUATOR(evaluator);
    const std::vector<Measured> rows = {
        {"an unfiltered deny after a filtered allow does not take it back (Homebrew)",
         "(allow default)(allow file-write* (subpath \"/a\"))(deny file-write*)", "file-write-data",
         {{"path", "/a/x"}}, true},
        {"and it decides everything else (bazel)",
         "(allow default)(deny file-write*)(allow file-write* (subpath \"/a\"))", "file-write-data",
         {{"path", "/b"}}, false},
        {"(allow default) last does not undo it (Homebrew)",
         "(allow file-write* (subpath \"/a\"))(deny file-write*)(allow default)", "file-write-data", {{"path", "/b"}}, false},
        {"of filtered rules the last match decides (mxc)",
         "(deny default)(deny file-write* (subpath \"/a/s\"))(allow file-write* (subpath \"/a\"))", "file-write-data",
         {{"path", "/a/s/x"}}, true},
        {"and the other way round (mxc)",
         "(deny default)(allow file-write* (subpath \"/a\"))(deny file-write* (subpath \"/a/s\"))", "file-write-data",
         {{"path", "/a/s/x"}}, false},
        {"an unfiltered allow does not override an earlier filtered deny (mxc#754)",
         "(deny default)(deny network-outbound (literal \"/s\"))(allow network-outbound)", "network-outbound",
         {{"path", "/s"}}, false},
        {"a specific allow beats a later wildcard deny (fence#218)",
         "(deny default)(allow file-read-data (subpath \"/a\"))(deny file-read* (subpath \"/a/s\"))", "file-read-data",
         {{"path", "/a/s/x"}}, true},
        {"also for metadata without a filter (agent-safehouse)",
         "(deny default)(allow file-read* (subpath \"/\"))(allow file-read-metadata)(deny file-read* (subpath \"/s\"))",
         "file-read-metadata", {{"path", "/s/k"}}, true},
        {"create-only beats the wildcard deny (cplt#455)",
         "(deny default)(allow file-write-create (subpath \"/a\"))(deny file-write* (subpath \"/a\"))",
         "file-write-create", {{"path", "/a/x"}}, true},
        {"setuid bits are an operation of their own (nix)",
         "(deny default)(allow file-write* (subpath \"/a\"))(deny file-write-setugid)", "file-write-setugid",
         {{"path", "/a/x"}}, false},
        {"network-inbound covers bind (mxc)", "(deny default)(allow network-inbound (local ip \"*:*\"))", "network-bind",
         {{"local", "0.0.0.0:80"}}, true},
        {"bind alone does not cover listen (mxc)", "(deny default)(allow network-bind (local ip \"*:*\"))",
         "network-inbound", {{"local", "0.0.0.0:80"}}, false},
        {"localhost does not match a wildcard bind (bazel#14828)",
         "(deny default)(allow network-bind (local ip \"localhost:*\"))", "network-bind", {{"local", "0.0.0.0:80"}}, false},
        {"a file rule does not let connect to a socket (agent-safehouse 0.11)",
         "(deny default)(allow file-read* (literal \"/s\"))(allow file-write* (literal \"/s\"))", "network-outbound",
         {{"path", "/s"}}, false},
        {"process-info has a default of its own", "(deny default)", "process-info-pidinfo", {{"target", "others"}}, true},
        {"which its name turns round", "(deny default)(deny process-info*)", "process-info-pidinfo",
         {{"target", "others"}}, false},
        {"a process may signal itself (implicit rule)", "(deny default)", "signal", {{"target", "self"}}, true},
        {"and no other", "(deny default)", "signal", {{"target", "others"}}, false},
        {"literal is exact", "(deny default)(allow file-read* (literal \"/a\"))", "file-read-data", {{"path", "/a/b"}}, false},
        {"subpath stops at components", "(deny default)(allow file-read* (subpath \"/a\"))", "file-read-data",
         {{"path", "/ab"}}, false},
        {"several filters are alternatives", "(deny default)(allow file-read* (literal \"/a\") (literal \"/b\"))",
         "file-read-data", {{"path", "/b"}}, true},
        {"require-all wants both", "(deny default)(allow file-read* (require-all (subpath \"/a\") (vnode-type SYMLINK)))",
         "file-read-data", {{"path", "/a/b"}, {"vnode-type", "DIRECTORY"}}, false},
        {"require-not turns round", "(deny default)(allow file-read* (require-all (subpath \"/a\") (require-not (subpath \"/a/b\"))))",
         "file-read-data", {{"path", "/a/b/c"}}, false},
        {"the last unfiltered rule stays", "(deny default)(allow file-read*)(deny file-read*)", "file-read-data",
         {{"path", "/a"}}, false},
        {"the grandparent decides when nothing nearer does", "(allow default)", "file-write-create", {{"path", "/a"}}, true},
    };
    for (const Measured& row : rows) {
        ASSERT_EQ(evaluator.load(std::string("(version 1)") + row.profile), "ok") << row.what;
        EXPECT_EQ(evaluator.allows(row.operation, row.attributes), row.allowed) << row.what;
    }
}

TEST(SbplEvaluator, NamesTheDecidingRule) {
    SBX_NEED_EVALUATOR(evaluator);
    ASSERT_EQ(evaluator.load("(version 1)(deny default)(allow file-read* (subpath \"/a\"))"), "ok");
    EXPECT_EQ(evaluator.ask("file-read-data", {{"path", "/a/x"}}),
              "allow file-read* (allow file-read* (subpath \"/a\"))");
    EXPECT_EQ(evaluator.ask("file-read-data", {{"path", "/b"}}), "deny default no filter");
}

TEST(SbplEvaluator, RefusesWhatApplesCompilerRefuses) {
    SBX_NEED_EVALUATOR(evaluator);
    const std::vector<std::pair<const char*, const char*>> rows = {
        {"(version 1)(deny default)(setenv \"A\" \"1\")", "unbound variable: setenv"},         // opencode-swarm#2590
        {"(version 1)(allow network-outbound (remote ip \"127.0.0.1:80\"))", "host must be"},   // zeroclaw#4764
        {"(version 1)(allow network-outbound (remote ip \"10.0.0.0/8:80\"))", "host must be"},
        {"(version 1)(allow network-bind (local ip \"*:70000\"))", "malformed network address"},
        {"(version 1)(allow file-read* (subpath \"/a/\"))", "must not end with a slash"},      // nix
        {"(version 1)(allow file-read* (subpath \"a\"))", "must start with"},
        {"(version 1)(allow mach-lookup (subpath \"/a\"))", "path filter does not apply to mach-lookup"},
        {"(version 1)(allow file-read* (subpath (param \"X\")))", "got boolean"},              // Protonk
        {"(version 1)(allow default (with no-report))", "no-report modifier"},
        {"(version 1)(deny default (with report))", "report modifier"},
        {"(version 1)(allow file-read* (with no-sandbox))", "no-sandbox modifier"},
        {"(version 4)(deny default)", "unsupported version"},                                     // Mozilla wiki
        {"(deny default)", "does not start with (version 1)"},
        {"(version 1)(deny no-such-operation)", "unbound variable: no-such-operation"},
        {"(version 1)(allow signal (target somebody))", "unbound variable: somebody"},
        {"(version 1)(allow (subpath \"/a\"))", "at least one operation"},
        {"(version 1)(deny default", "syntax error"},
        {"(version 1)(deny default))", "syntax error"},
        {"(version 1)(allow file-read* (literal \"/a))", "syntax error"},
        {"(version 1)(allow file-read* (require-not (literal \"/a\") (literal \"/b\")))", "wrong number"},
        {"(version 1)(allow file-read* (require-any))", "wrong number"},
        {"(version 1)(import \"bsd.sb\")", "unable to open"},
        {"(version 1)(allow file-read* (literal #\"/a\"))", "sharp"},
    };
    for (const auto& [profile, reason] : rows) {
        std::string answer = evaluator.load(profile);
        EXPECT_EQ(answer.rfind("error 65 ", 0), 0U) << profile << ": " << answer;
        EXPECT_NE(answer.find(reason), std::string::npos) << profile << ": " << answer;
    }
    // A literal that TinyScheme 1.38 has no room for.
    EXPECT_EQ(evaluator.load("(version 1)(allow file-read* (literal \"/" + std::string(300, 'a') + "\"))")
                  .rfind("error 65 ", 0), 0U);
}

TEST(SbplEvaluator, KnowsWhichNamesOldSystemsLack) {
    SBX_NEED_EVALUATOR(evaluator);
    EXPECT_EQ(evaluator.load("(version 1)(deny file-link)"), "ok");
    EXPECT_EQ(evaluator.load("(version 1)(deny file-link)", true), "error 65 unbound variable: file-link");
    EXPECT_EQ(evaluator.load("(version 1)(when (defined? 'file-link) (deny file-link))", true), "ok");
}

}  // namespace
}  // namespace sbx
