#include "macos/render/messages.h"

#include <gtest/gtest.h>

namespace sbx {
namespace {

int exited(int code) { return code << 8; }

TEST(SeatbeltMessages, TellFailuresApart) {
    EXPECT_EQ(explain_seatbelt_failure(exited(71), "sandbox-exec: sandbox_apply: Operation not permitted\n").code, "nested_sandbox");
    Error profile = explain_seatbelt_failure(exited(65), "sandbox-exec: unbound variable: x at <input string>, line 2\nmore");
    EXPECT_EQ(profile.message, "macOS refused the profile: sandbox-exec: unbound variable: x at <input string>, line 2");
    EXPECT_NE(explain_seatbelt_failure(exited(64), "usage").message.find("did not take its arguments"), std::string::npos);
    EXPECT_NE(explain_seatbelt_failure(exited(71), "sandbox-exec: execvp() of '/usr/bin/true' failed").message.find("status 71"),
              std::string::npos);
    EXPECT_NE(explain_seatbelt_failure(6, "").message.find("SIGABRT"), std::string::npos);  // gemini, mise#12263
    EXPECT_NE(explain_seatbelt_failure(9, "").message.find("signal 9"), std::string::npos);
}

TEST(SeatbeltMessages, CleanWhatTheToolSays) {
    EXPECT_EQ(explain_seatbelt_failure(exited(65), "a\x1b[31m").message.find('\x1b'), std::string::npos);
}

TEST(SeatbeltDenials, AreReadFromTheLog) {
    const char* tag = "sbx.run.run-1-a";
    auto event = [](const std::string& message) { return "{\"processID\":0,\"eventMessage\":\"" + message + "\",\"x\":1}"; };
    EXPECT_EQ(denial_of(event("Sandbox: cat(71) deny(1) file-read-data /Users/me/x y\\nsbx.run.run-1-a"), tag),
              "file-read-data /Users/me/x y (cat)");
    EXPECT_EQ(denial_of(event("Sandbox: node(2) deny(1) network-outbound 1.1.1.1:443 sbx.run.run-1-a"), tag),
              "network-outbound 1.1.1.1:443 (node)");
    EXPECT_EQ(denial_of(event("Sandbox: cat(71) deny(1) file-read-data /x\\nsbx.run.other"), tag), std::nullopt);
    EXPECT_EQ(denial_of(event("Sandbox: cat(71) deny(1) file-read-data /dev/dtracehelper\\nsbx.run.run-1-a"), tag), std::nullopt);
    EXPECT_EQ(denial_of(event("Sandbox: 2 duplicate reports for cat(1) deny(1) file-read-data /x\\nsbx.run.run-1-a"), tag), std::nullopt);
    EXPECT_EQ(denial_of("not json", tag), std::nullopt);
    EXPECT_EQ(denial_of("", tag), std::nullopt);
    EXPECT_TRUE(is_log_ready("Filtering the log data using \"x\""));
}

}  // namespace
}  // namespace sbx
