#include "linux/run/bwrap_errors.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "host/resolve.h"
#include "util/text.h"

namespace sbx {
namespace {

struct Remedy {
    const char* part;   ///< of bwrap's line
    const char* advice;
};

// What Fusion's users are told; then what lets them keep the sandbox.
constexpr const char* kUidMap =
    "unprivileged user namespaces may be disabled by host policy/kernel settings. Enable user namespaces or use "
    "sandbox.backend = \"native\" as a fallback.\n"
    "Ubuntu 23.10 and later restrict them through AppArmor. Let bwrap have them: write to /etc/apparmor.d/bwrap\n"
    "    abi <abi/4.0>,\n"
    "    include <tunables/global>\n"
    "    profile bwrap /usr/bin/bwrap flags=(unconfined) {\n"
    "      userns,\n"
    "    }\n"
    "and load it: sudo apparmor_parser -r /etc/apparmor.d/bwrap";

constexpr const char* kSwitchedOff =
    "unprivileged user namespaces are switched off on this machine. Switch them on:\n"
    "    sudo sysctl -w kernel.unprivileged_userns_clone=1\n"
    "and for good with that setting in a file in /etc/sysctl.d/ (Debian)";

constexpr const char* kNoneAllowed =
    "user.max_user_namespaces is 0 on this machine, so no sandbox can be made. Allow some:\n"
    "    sudo sysctl -w user.max_user_namespaces=15000\n"
    "and for good with that setting in a file in /etc/sysctl.d/ (RHEL, CentOS)";

// The same symptom has other causes on other systems, so the advice names the usual ones in order.
constexpr std::array<Remedy, 12> kRemedies = {{
    {"setting up uid map: Permission denied", kUidMap},
    {"setting up uid map: Operation not permitted",
     "root without capabilities, as it is inside another sandbox, may not map its user id: run sbx as an ordinary user, "
     "by starting the outer sandbox as one"},
    {"setting up uid map: Read-only file system",
     "/proc is read-only here: inside another sbx, that one needs sandbox.nested = \"on\"; a container must be given "
     "its own /proc"},
    {"No permissions to create",
     "user namespaces are switched off: inside another sbx, that one needs sandbox.nested = \"on\"; in a container, its "
     "engine must allow them (docker run --security-opt seccomp=unconfined, or a profile that allows unshare)"},
    {"Creating new namespace failed: nesting depth or",
     "user namespaces are used up or forbidden here: sysctl user.max_user_namespaces (RHEL), or an outer "
     "sandbox that allows none (sandbox.nested = \"on\" there)"},
    {"Creating new namespace failed: No space left on device",
     "user namespaces are used up or forbidden here: sysctl user.max_user_namespaces (RHEL), or an outer "
     "sandbox that allows none (sandbox.nested = \"on\" there)"},
    {"Creating new namespace failed: Resource temporarily unavailable",
     "the limit on processes (ulimit -u) is too low to start a sandbox"},
    {"Can't mount proc",
     "the outer container masks /proc: start it with unmasked paths\n"
     "    docker run --security-opt systempaths=unconfined, or podman run --security-opt unmask=ALL\n"
     "or set sandbox.nested = \"weaker\" and read in sbx.toml(5) what that gives up"},
    {"Failed to make / slave",
     "an outer sandbox forbids mounts (a Landlock domain, or a container without that right): start sbx outside of "
     "it, or let the outer one allow it (sandbox.nested = \"on\" when that is sbx)"},
    {"RTM_NEWADDR", "the loopback interface cannot be set up here (gVisor, some containers, AppArmor): use "
     "sandbox.network = \"on\" if the command may have the host's network"},
    {": Exec format error", "this file is no program for this machine: install the distribution's bubblewrap package again"},
    {"Unknown option", "this bwrap is too old; update bubblewrap to 0.8.0 or newer"},
}};

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

bool is_switch(const char* path, const char* value) {
    std::string text = small_file(path, 64).value_or("");
    return text == std::string(value) + "\n";
}

/// What starts bwrap has no C library and ends its line with the bare number: "PATH: error 013".
std::string with_reason(const std::string& line) {
    constexpr std::string_view kNumber = ": error ";
    size_t at = line.rfind(kNumber);
    size_t digits = at == std::string::npos ? 0 : at + kNumber.size();
    if (digits == 0 || digits + 3 != line.size() || line.find_first_not_of("0123456789", digits) != std::string::npos) {
        return line;
    }
    return line.substr(0, at) + ": " + std::strerror(static_cast<int>(std::strtol(line.c_str() + digits, nullptr, 10)));
}

/// Why `line` of bwrap, as far as the machine's own settings tell; "" where they do not.
std::string remedy_from_machine(const std::string& line, const UserNamespaces& machine) {
    bool creation = contains(line, "Creating new namespace failed") || contains(line, "No permissions to create");
    if (creation && machine.none_allowed) {
        return kNoneAllowed;
    }
    if (creation && machine.switched_off) {
        return kSwitchedOff;
    }
    bool afterwards = creation || contains(line, "uid map") || contains(line, "RTM_NEWADDR");
    return afterwards && machine.apparmor ? kUidMap : "";
}

}  // namespace

UserNamespaces look_at_user_namespaces() {
    UserNamespaces found;
    found.none_allowed = is_switch("/proc/sys/user/max_user_namespaces", "0");
    found.switched_off = geteuid() != 0 && is_switch("/proc/sys/kernel/unprivileged_userns_clone", "0");
    found.apparmor = geteuid() != 0 && is_switch("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1");
    return found;
}

Error explain_bwrap_failure(const std::string& text, const UserNamespaces& machine) {
    std::string last;
    for (const auto& line : split(text, '\n')) {
        if (!line.empty()) {
            last = line;
        }
    }
    last = with_reason(last);
    if (last.empty()) {
        return Error{"backend_failed", "bwrap ended before the command was started", kSeeDoctor};
    }
    if (std::string remedy = remedy_from_machine(last, machine); !remedy.empty()) {
        return Error{"backend_failed", last, remedy};
    }
    for (const Remedy& remedy : kRemedies) {
        if (contains(last, remedy.part)) {
            return Error{"backend_failed", last, remedy.advice};
        }
    }
    return Error{"backend_failed", last, kSeeDoctor};
}

Outcome explain_not_started(const wire::Message& message) {
    std::string reason = std::strerror(message.value);
    if (message.kind == wire::Kind::SetupFailed) {
        return Outcome::failed({"setup_failed", std::string(message.text) + ": " + reason, kSeeDoctor});
    }
    if ((message.value == ENOENT || message.value == ENOTDIR) && message.text[0] != '\0') {
        std::string name = message.text;
        bool windows = name.back() == '\r';
        if (windows) {
            name.replace(name.size() - 1, 1, "\\r");
        }
        return {Outcome::Kind::NotExecutable, 0,
                {"missing_interpreter", "its interpreter " + printable_line(name) + " does not exist inside",
                 windows ? "the script's lines end as on Windows (\\r\\n)" : ""}};
    }
    if (message.value == ENOENT || message.value == ENOTDIR) {
        return {Outcome::Kind::NotFound, 0, {"not_found", "command not found", ""}};
    }
    return {Outcome::Kind::NotExecutable, 0, {"not_executable", reason, ""}};
}

}  // namespace sbx
