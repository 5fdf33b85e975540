#include "macos/render/doctor_lines.h"

#include <cstdlib>

#include "macos/render/messages.h"
#include "util/text.h"

namespace sbx {
namespace {

using Status = Finding::Status;

constexpr int kFirstMacOs = 11;

}  // namespace

Findings mac_findings(const HostFacts& facts, const Result<void>& trial) {
    Findings out;
    if (std::atoi(facts.mac.version.c_str()) < kFirstMacOs) {
        out.push_back({Status::Fail, "system", "macOS " + printable_line(facts.mac.version) + " is too old",
                       "update to macOS 11 or newer"});
    } else {
        out.push_back({Status::Ok, "system", "macOS " + printable_line(facts.mac.version), ""});
    }
    if (!facts.mac.sandbox_exec) {
        Error error = seatbelt_unavailable();
        out.push_back({Status::Fail, "sandbox-exec", error.message, error.hint});
        return out;
    }
    // F47
    out.push_back({Status::Note, "sandbox-exec",
                   "Apple marks sandbox-exec as deprecated. It remains functional for many workflows.", ""});
    if (facts.mac.inside_sandbox) {
        Error error = seatbelt_nested("");
        out.push_back({Status::Fail, "nesting", error.message, error.hint});
        return out;
    }
    if (trial.ok()) {
        out.push_back({Status::Ok, "sandbox", "a program ran under the default profile", ""});
    } else {
        out.push_back({Status::Fail, "sandbox", trial.error().message, trial.error().hint});
    }
    if (facts.mac.user_temp.empty() || facts.mac.run_directory.empty()) {
        out.push_back({Status::Fail, "temp", "macOS names no temporary directory for this user (confstr)",
                       "log in as this user once"});
    } else {
        out.push_back({Status::Ok, "temp", facts.mac.user_temp, ""});
    }
    if (facts.mac.developer.empty()) {
        out.push_back({Status::Note, "developer tools", "git, clang, make and python3 of /usr/bin need them",
                       "xcode-select --install"});
    } else {
        out.push_back({Status::Ok, "developer tools", facts.mac.developer, ""});
    }
    return out;
}

std::string mac_selftest_script(const std::string& canary, bool network) {
    std::string quoted = shell_quote(canary);
    std::string script =
        "refused() { layer=$1 text=$2; shift 2; if \"$@\" >/dev/null 2>&1 </dev/null; "
        "then echo \"FAIL|$layer|$text: it worked\"; else echo \"ok|$layer|$text\"; fi; }\n"
        "works() { layer=$1 text=$2; shift 2; if \"$@\" >/dev/null 2>&1 </dev/null; "
        "then echo \"ok|$layer|$text\"; else echo \"FAIL|$layer|$text: it failed\"; fi; }\n"
        "works 'home' 'the private home can be written' touch \"$HOME/x\"\n"
        "works 'temp' 'temporary files can be made' touch \"$TMPDIR/x\"\n";
    script += "refused 'home' 'a file of the real home cannot be read' cat " + quoted + "\n";
    script += "refused 'home' 'nor changed' sh -c 'echo x >>\"$1\"' sh " + quoted + "\n";
    script += "refused 'home' 'nothing is made there' mkdir " + shell_quote(canary + ".new") + "\n";
    script += "refused 'home' 'nor linked to' ln " + quoted + " \"$TMPDIR/l\"\n";
    script += "refused 'home' 'nor moved away' mv " + quoted + " \"$HOME/y\"\n";
    script +=
        "refused 'processes' 'the caller cannot be signalled' kill -0 $PPID\n"
        "refused 'processes' 'nor process 1' kill -0 1\n"
        "refused 'apps' 'no application is launched' open -g -a Calculator\n"
        "refused 'apps' 'no AppleScript is sent' osascript -e 'tell application \"Finder\" to get name of home'\n"
        "refused 'keychain' 'no keychain is reached' security find-generic-password -l sbx-selftest-none -g\n"
        "refused 'clipboard' 'the clipboard is closed' sh -c '[ -n \"$(echo x | pbcopy && pbpaste)\" ]'\n"
        "refused 'launchd' 'no job is started' launchctl submit -l sbx-selftest -- /usr/bin/true\n"
        "refused 'setuid' 'no setuid bit is set' sh -c 'touch \"$TMPDIR/s\" && chmod u+s \"$TMPDIR/s\"'\n"
        "refused 'port 4040' 'it cannot be bound' perl -MSocket -e "
        "'socket(S, PF_INET, SOCK_STREAM, 0); exit !bind(S, sockaddr_in(4040, INADDR_LOOPBACK))'\n"
        "if [ -d .git ]; then\n"
        "refused 'git guard' 'the configuration cannot be changed' sh -c 'echo >>.git/config'\n"
        "refused 'git guard' 'no hook can be made' touch .git/hooks/sbx-selftest\n"
        "refused 'git guard' '.git cannot be moved' mv .git .git-moved\n"
        "fi\n";
    script += network ? "echo 'note|network|is on, as the policy says'\n"
                      : "refused 'network' 'nothing is reached' nc -z -w 2 1.1.1.1 443\n"
                        "refused 'network' 'no name is resolved' host -W 2 example.com\n";
    return script;
}

Findings selftest_findings(const std::string& output) {
    Findings out;
    for (const auto& line : split(output, '\n')) {
        auto parts = split(line, '|');
        if (parts.size() < 3) {
            continue;
        }
        bool known = parts[0] == "ok" || parts[0] == "FAIL" || parts[0] == "note";
        Status status = parts[0] == "ok" ? Status::Ok : parts[0] == "note" ? Status::Note : Status::Fail;
        if (known) {
            out.push_back({status, printable_line(parts[1]), printable_line(parts[2]), ""});
        }
    }
    return out;
}

}  // namespace sbx
