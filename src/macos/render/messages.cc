#include "macos/render/messages.h"

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "util/text.h"

namespace sbx {
namespace {

// Exit statuses of sandbox-exec, from <sysexits.h>.
constexpr int kUsage = 64;
constexpr int kProfile = 65;
constexpr int kSystem = 71;

constexpr std::array<std::string_view, 6> kNoise = {"duplicate report", "/dev/dtracehelper", "diagnosticd",
                                                    "analyticsd",       "mDNSResponder",     "cfprefsd"};

std::string first_line(std::string_view text) {
    return printable_line(text.substr(0, std::min(text.find('\n'), size_t{400})));
}

/// The value of a string member of a one-line JSON object; escapes but \n and \uXXXX stand for themselves.
std::optional<std::string> member(std::string_view json, std::string_view name) {
    std::string key = "\"" + std::string(name) + "\":\"";
    size_t at = json.find(key);
    if (at == std::string_view::npos) {
        return std::nullopt;
    }
    std::string out;
    for (size_t i = at + key.size(); i < json.size(); ++i) {
        if (json[i] == '"') {
            return out;
        }
        if (json[i] == '\\' && i + 1 < json.size()) {
            ++i;
            out += json[i] == 'n' ? '\n' : json[i] == 't' ? '\t' : json[i];
        } else {
            out += json[i];
        }
    }
    return std::nullopt;
}

}  // namespace

Error seatbelt_unavailable() {
    return Error{"backend_unavailable",
                 "sandbox-exec not available on this host; install Xcode Command Line Tools or set "
                 "sandbox.failureMode='fallback-native'",
                 "xcode-select --install, then retry"};
}

Error seatbelt_nested(std::string_view text) {
    return Error{"nested_sandbox",
                 "already inside a macOS sandbox, and macOS refuses a second one" +
                     (text.empty() ? std::string() : ": " + first_line(text)),
                 "start sbx outside of the other sandbox, or tell that tool not to sandbox; no path that is granted "
                 "changes this"};
}

Error explain_seatbelt_failure(int status, std::string_view text) {
    std::string said = first_line(text);
    if (WIFSIGNALED(status)) {
        std::string how = WTERMSIG(status) == SIGABRT ? "no program can start under the profile (SIGABRT)"
                                                      : "the trial run was killed by signal " +
                                                            std::to_string(WTERMSIG(status));
        return Error{"backend_failed", "sandbox-exec: " + how, "please report it with: sbx explain --backend sandbox-exec"};
    }
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    bool apply = text.find("sandbox_apply") != std::string_view::npos;
    if (code == kSystem && apply) {
        return seatbelt_nested(text);
    }
    if (code == kProfile) {
        return Error{"backend_failed", "macOS refused the profile: " + said,
                     "please report it with: sbx explain --backend sandbox-exec"};
    }
    if (code == kUsage) {
        return Error{"backend_failed", "sandbox-exec did not take its arguments: " + said, "see sbx doctor"};
    }
    return Error{"backend_failed",
                 "sandbox-exec failed with status " + std::to_string(code) + (said.empty() ? "" : ": " + said),
                 "see sbx doctor"};
}

std::string seatbelt_hint() {
    return "If commands fail with sandbox-exec: ...: Operation not permitted, expand allowedReadPaths/allowedWritePaths "
           "for required inputs/outputs. sbx run --log-denials shows what was refused.";
}

std::string denial_predicate() {
    return "((processID == 0) AND (senderImagePath CONTAINS \"/Sandbox\")) OR (subsystem == "
           "\"com.apple.sandbox.reporting\")";
}

bool is_log_ready(std::string_view line) { return line.substr(0, 18) == "Filtering the log "; }

std::optional<std::string> denial_of(std::string_view event, std::string_view tag) {
    auto message = member(event, "eventMessage");
    // "Sandbox: NAME(PID) deny(1) OPERATION TARGET", then the message of the rule on a line of its own.
    size_t deny = message ? message->find(") deny(") : std::string::npos;
    if (deny == std::string::npos || message->find(tag) == std::string::npos) {
        return std::nullopt;
    }
    size_t start = message->find(": ");
    size_t after = message->find(") ", deny + 7);
    if (start == std::string::npos || start > deny || after == std::string::npos) {
        return std::nullopt;
    }
    std::string what = message->substr(after + 2);
    what = what.substr(0, what.find('\n'));
    if (size_t at = what.find(tag); at != std::string::npos) {
        what = what.substr(0, at);
    }
    while (!what.empty() && what.back() == ' ') {
        what.pop_back();
    }
    for (std::string_view noise : kNoise) {
        if (what.find(noise) != std::string::npos || message->find("duplicate report") != std::string::npos) {
            return std::nullopt;
        }
    }
    std::string who = message->substr(start + 2, deny - start - 2);
    return printable_line(what + " (" + who.substr(0, who.rfind('(')) + ")");
}

}  // namespace sbx
