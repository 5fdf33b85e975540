#include "linux/run/bwrap_errors.h"

#include <array>
#include <cerrno>
#include <cstring>

#include "util/text.h"

namespace sbx {
namespace {

struct Remedy {
    const char* part;   ///< of bwrap's line
    const char* advice;
};

// The same symptom has other causes on other systems, so the advice names the usual ones in order.
constexpr std::array<Remedy, 10> kRemedies = {{
    {"setting up uid map: Permission denied",
     "unprivileged user namespaces may be disabled by host policy/kernel settings. Enable user namespaces "
     "or use sandbox.backend = \"native\" as a fallback. On Ubuntu 24.04 and later an AppArmor profile for "
     "bwrap is needed: see sbx doctor"},
    {"setting up uid map: Operation not permitted",
     "this process may not map its user id: inside another sandbox as root, run sbx as an ordinary user"},
    {"setting up uid map: Read-only file system",
     "/proc is read-only here: inside another sbx, that one needs sandbox.nested = \"on\"; a container must be given "
     "its own /proc"},
    {"No permissions to create",
     "user namespaces are switched off: inside another sbx, that one needs sandbox.nested = \"on\"; else sysctl "
     "kernel.unprivileged_userns_clone=1 (Debian), or an AppArmor profile for bwrap (Ubuntu); see sbx doctor"},
    {"Creating new namespace failed: No space left on device",
     "user namespaces are used up or forbidden here: sysctl user.max_user_namespaces (RHEL), or an outer "
     "sandbox that allows none (sandbox.nested = \"on\" there)"},
    {"Creating new namespace failed: Resource temporarily unavailable",
     "the limit on processes (ulimit -u) is too low to start a sandbox"},
    {"Can't mount proc",
     "the outer container masks /proc: run it with unmasked paths (podman --security-opt unmask=ALL, docker "
     "--security-opt systempaths=unconfined), or set sandbox.nested = \"weaker\" and read in sbx.toml(5) what "
     "that gives up"},
    {"Failed to make / slave",
     "an outer sandbox forbids mounts (a Landlock domain, or a container without that right): start sbx outside of "
     "it, or let the outer one allow it (sandbox.nested = \"on\" when that is sbx)"},
    {"RTM_NEWADDR", "the loopback interface cannot be set up here (gVisor, some containers, AppArmor)"},
    {"Unknown option", "this bwrap is too old; 0.8.0 or newer is needed"},
}};

}  // namespace

Error explain_bwrap_failure(const std::string& text) {
    std::string last;
    for (const auto& line : split(text, '\n')) {
        if (!line.empty()) {
            last = line;
        }
    }
    if (last.empty()) {
        return Error{"backend_failed", "bwrap ended before the command was started", "see sbx doctor"};
    }
    for (const Remedy& remedy : kRemedies) {
        if (last.find(remedy.part) != std::string::npos) {
            return Error{"backend_failed", last, remedy.advice};
        }
    }
    return Error{"backend_failed", last, "see sbx doctor"};
}

Outcome explain_not_started(const wire::Message& message) {
    std::string reason = std::strerror(message.value);
    if (message.kind == wire::Kind::SetupFailed) {
        return Outcome::failed({"setup_failed", std::string(message.text) + ": " + reason, "see sbx doctor"});
    }
    if (message.value == ENOENT && message.text[0] != '\0') {
        return {Outcome::Kind::NotExecutable, 0,
                {"missing_interpreter", std::string("its interpreter ") + message.text + " does not exist inside",
                 ""}};
    }
    if (message.value == ENOENT || message.value == ENOTDIR) {
        return {Outcome::Kind::NotFound, 0, {"not_found", "command not found", ""}};
    }
    return {Outcome::Kind::NotExecutable, 0, {"not_executable", reason, ""}};
}

}  // namespace sbx
