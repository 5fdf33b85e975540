#include "run/outcome.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "linux/run/bwrap_errors.h"

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
    Error error = explain_bwrap_failure("bwrap: setting up uid map: Permission denied\n");
    EXPECT_EQ(error.message, "bwrap: setting up uid map: Permission denied");
    EXPECT_NE(error.hint.find("unprivileged user namespaces may be disabled by host policy/kernel settings. Enable "
                              "user namespaces or use sandbox.backend = \"native\" as a fallback."),
              std::string::npos);
    EXPECT_NE(explain_bwrap_failure("bwrap: Can't mount proc on /newroot/proc: Operation not permitted")
                  .hint.find("systempaths=unconfined"),
              std::string::npos);
    EXPECT_FALSE(explain_bwrap_failure("").message.empty());
}

}  // namespace
}  // namespace sbx
