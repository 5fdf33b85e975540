#include "run/outcome.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "linux/run/bwrap_errors.h"
#include "run/finding.h"

namespace sbx {
namespace {

int finished(const Outcome& outcome) {
    pid_t pid = fork();
    if (pid == 0) {
        finish(outcome);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return status;
}

TEST(Outcome, PassesTheStatusOn) {
    int status = finished({Outcome::Kind::Exited, 42, {}});
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 42);
}

TEST(Outcome, DiesOfTheSameSignalWithoutACore) {
    for (int number : {SIGTERM, SIGKILL, SIGSEGV, SIGINT}) {
        int status = finished({Outcome::Kind::Signalled, number, {}});
        ASSERT_TRUE(WIFSIGNALED(status)) << number;
        EXPECT_EQ(WTERMSIG(status), number);
        EXPECT_FALSE(WCOREDUMP(status));
    }
}

TEST(Outcome, HasTheDocumentedStatuses) {
    EXPECT_EQ(exit_status({Outcome::Kind::TimedOut, 0, {}}), 124);
    EXPECT_EQ(exit_status({Outcome::Kind::Failed, 0, {}}), 125);
    EXPECT_EQ(exit_status({Outcome::Kind::NotExecutable, 0, {}}), 126);
    EXPECT_EQ(exit_status({Outcome::Kind::NotFound, 0, {}}), 127);
    EXPECT_EQ(exit_status({Outcome::Kind::Signalled, 15, {}}), 143);
}

TEST(BwrapErrors, NameTheRemedy) {  // F26
    Error error = explain_bwrap_failure("bwrap: setting up uid map: Permission denied\n", {});
    EXPECT_EQ(error.message, "bwrap: setting up uid map: Permission denied");
    EXPECT_NE(error.hint.find("unprivileged user namespaces may be disabled by host policy/kernel settings. Enable "
                              "user namespaces or use sandbox.backend = \"native\" as a fallback."),
              std::string::npos);
    EXPECT_NE(explain_bwrap_failure("bwrap: Can't mount proc on /newroot/proc: Operation not permitted", {})
                  .hint.find("systempaths=unconfined"),
              std::string::npos);
    EXPECT_FALSE(explain_bwrap_failure("", {}).message.empty());
}

TEST(BwrapErrors, SaysWhatTheMachineSaysAboutItself) {
    const char* full = "bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)";
    UserNamespaces machine;
    EXPECT_EQ(explain_bwrap_failure(full, machine).hint.find("user.max_user_namespaces=15000"), std::string::npos);
    EXPECT_NE(explain_bwrap_failure(full, machine).hint.find("sandbox.nested = \"on\""), std::string::npos);
    machine.none_allowed = true;
    EXPECT_NE(explain_bwrap_failure(full, machine).hint.find("user.max_user_namespaces=15000"), std::string::npos);
    const char* denied = "bwrap: No permissions to create new namespace, likely because the kernel does not allow it";
    machine = {};
    machine.switched_off = true;
    EXPECT_NE(explain_bwrap_failure(denied, machine).hint.find("kernel.unprivileged_userns_clone=1"), std::string::npos);
    machine = {};
    machine.apparmor = true;
    EXPECT_NE(explain_bwrap_failure("bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted", machine)
                  .hint.find("apparmor_parser"),
              std::string::npos);
    EXPECT_EQ(explain_bwrap_failure("bwrap: Can't find source path /x: No such file", machine).hint, kSeeDoctor);
}

TEST(BwrapErrors, SayTheReasonOfANumber) {
    EXPECT_EQ(explain_bwrap_failure("/usr/bin/bwrap: error 008", {}).message, "/usr/bin/bwrap: Exec format error");
    EXPECT_EQ(explain_bwrap_failure("/usr/bin/bwrap: error 08", {}).message, "/usr/bin/bwrap: error 08");
    EXPECT_EQ(explain_bwrap_failure("/usr/bin/bwrap: error 0x8", {}).message, "/usr/bin/bwrap: error 0x8");
}

TEST(Findings, HaveTheirRemedyBelowThemInLines) {
    Findings findings = {{Finding::Status::Fail, "sandbox", "a\nc", "first\n    second"}};
    EXPECT_EQ(findings_text(findings), "  FAIL  sandbox: a c\n        first\n            second\n");
}

TEST(Findings, AreValidJsonWhateverTheirBytes) {
    Findings findings = {{Finding::Status::Fail, "sand\"box", "a\nb\x01 \xff\xc3(\\", "\xed\xa0\x80\r"}};
    EXPECT_EQ(findings_json(findings),
              "{\"ok\":false,\"checks\":[{\"status\":\"FAIL\",\"layer\":\"sand\\\"box\",\"text\":\"a\\u000ab\\u0001 "
              "\xef\xbf\xbd\xef\xbf\xbd(\\\\\",\"remedy\":\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\\u000d\"}]}\n");
}

}  // namespace
}  // namespace sbx
