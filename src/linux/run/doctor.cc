#include "run/doctor.h"

#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "host/gather.h"
#include "host/linux/cgroups.h"
#include "host/resolve.h"
#include "linux/render/bwrap.h"
#include "linux/render/limits.h"
#include "linux/run/probe_host.h"
#include "util/fd.h"
#include "util/text.h"

namespace sbx {
namespace {

constexpr int kFirstMajor = 5;
constexpr int kFirstMinor = 12;      // mount_setattr
constexpr int kLandlockFilesAbi = 3;
constexpr int kLandlockScopeAbi = 6;
constexpr size_t kSmall = 4096;
using Status = Finding::Status;

std::string setting(const char* path) {
    std::string text = small_file(path, kSmall).value_or("");
    while (!text.empty() && text.back() == '\n') {
        text.pop_back();
    }
    return text;
}

void look_at_kernel(Findings& findings) {
    utsname names{};
    uname(&names);
    int major = 0;
    int minor = 0;
    std::sscanf(names.release, "%d.%d", &major, &minor);
    std::string version = setting("/proc/version");
    if (version.find("Microsoft") != std::string::npos && version.find("WSL2") == std::string::npos) {
        findings.push_back({Status::Fail, "kernel", "this is WSL 1, which has no namespaces",
                            "convert the distribution to WSL 2: wsl --set-version NAME 2"});
    } else if (major < kFirstMajor || (major == kFirstMajor && minor < kFirstMinor)) {
        findings.push_back({Status::Fail, "kernel", std::string("Linux ") + names.release + " is too old",
                            "update to Linux 5.12 or newer"});
    } else {
        findings.push_back({Status::Ok, "kernel", std::string("Linux ") + names.release, ""});
    }
}

std::string run_and_read(const std::string& command) {
    std::string out;
    FILE* pipe = popen(command.c_str(), "re");
    char buffer[256];
    while (pipe != nullptr && std::fgets(buffer, sizeof buffer, pipe) != nullptr) {
        out += buffer;
    }
    if (pipe != nullptr) {
        pclose(pipe);
    }
    return out;
}

/// The first bwrap that the shell would find.
std::string first_in_path(const HostFacts& facts) {
    const std::string* path = facts.variable("PATH");
    for (const std::string& directory : split(path == nullptr ? "" : *path, ':')) {
        std::string candidate = path_join(directory.empty() ? "." : directory, "bwrap");
        if (access(candidate.c_str(), X_OK) == 0) {
            return candidate;
        }
    }
    return "";
}

bool look_at_bwrap(const HostFacts& facts, Findings& findings) {
    const LinuxFacts& host = facts.linux_;
    if (host.bwrap.empty()) {
        findings.push_back({Status::Fail, "bubblewrap", host.bwrap_problem, remedy_for_bwrap(host)});
        return false;
    }
    std::string version = run_and_read(shell_quote(host.bwrap) + " --version 2>&1");
    int major = 0;
    int minor = 0;
    if (std::sscanf(version.c_str(), "bubblewrap %d.%d", &major, &minor) != 2) {
        findings.push_back({Status::Fail, "bubblewrap", host.bwrap + " does not say its version",
                            "install the distribution's bubblewrap package again"});
        return false;
    }
    version.erase(std::remove(version.begin(), version.end(), '\n'), version.end());
    if (major == 0 && minor < 8) {
        findings.push_back({Status::Fail, "bubblewrap", version + " is too old", "update bubblewrap to 0.8.0 or newer"});
        return false;
    }
    findings.push_back({Status::Ok, "bubblewrap", host.bwrap + ", " + version, ""});
    std::string first = first_in_path(facts);
    if (!first.empty() && real_path(first) != host.bwrap) {
        findings.push_back({Status::Note, "bubblewrap", first + " comes first in PATH and is not used", ""});
    }
    return true;
}

void look_at_landlock(const HostFacts& facts, Findings& findings) {
    int abi = facts.linux_.landlock_abi;
    std::string version = "Landlock ABI " + std::to_string(abi);
    if (abi == 0) {
        findings.push_back({Status::Note, "Landlock",
                            "is not available, so there is no second wall: a descriptor 0 to 2 that is a file can be "
                            "opened again for writing",
                            "enable it in the kernel: lsm=landlock,... on its command line"});
    } else if (abi < kLandlockFilesAbi) {
        findings.push_back({Status::Note, "Landlock", version + " is too old to repeat the file rules", "Linux 6.2 or newer"});
    } else if (abi < kLandlockScopeAbi) {
        findings.push_back({Status::Ok, "Landlock", version + ", files only", ""});
    } else {
        findings.push_back({Status::Ok, "Landlock", version, ""});
    }
}

void look_at_limits(HostFacts facts, Findings& findings) {
    Policy limited;
    limited.limits.memory.value = limited.limits.processes.value = 1;
    limited.limits.cpus.value = 1;
    find_cgroups(limited, facts);
    std::string found;
    for (const std::string& controller : facts.linux_.controllers) {
        found += (found.empty() ? "" : ", ") + controller;
    }
    if (has_controller(facts, "memory")) {
        findings.push_back({Status::Ok, "limits", "a control group for each run can be made (" + found + ")", ""});
        return;
    }
    findings.push_back({Status::Note, "limits",
                        "no control group for memory can be made here: limits.memory counts for each process alone, "
                        "and limits.cpus chooses processors",
                        "start sbx in a group of its own: systemd-run --user --scope -p Delegate=yes sbx run ..."});
}

/// A small repository of our own, so that nothing of the user's is touched.
class Workshop {
  public:
    Workshop() {
        char path[] = "/var/tmp/sbx-doctor-XXXXXX";
        if (mkdtemp(path) == nullptr) {
            return;
        }
        path_ = path;
        for (const char* directory : {".git", ".git/objects", ".git/refs", ".git/hooks"}) {
            mkdir(path_join(path_, directory).c_str(), 0755);
        }
        write(".git/HEAD", "ref: refs/heads/main\n");
        write(".git/config", "[core]\n\trepositoryformatversion = 0\n");
    }
    Workshop(const Workshop&) = delete;
    Workshop& operator=(const Workshop&) = delete;
    ~Workshop() {
        std::error_code ignored;
        std::filesystem::remove_all(path_.empty() ? "/nonexistent" : path_, ignored);
    }

    bool enter() const { return !path_.empty() && chdir(path_.c_str()) == 0; }

  private:
    void write(const char* name, std::string_view text) const {
        FILE* file = std::fopen(path_join(path_, name).c_str(), "we");
        if (file != nullptr) {
            std::fwrite(text.data(), 1, text.size(), file);
            std::fclose(file);
        }
    }

    std::string path_;
};

void run_probe(const Policy& policy, const HostFacts& facts, Findings& findings) {
    ProbeHost host;
    auto result = host.run(policy, facts);
    if (!result.ok()) {
        findings.push_back({Status::Fail, "sandbox", result.error().message, result.error().hint});
        return;
    }
    if (!result->ran) {
        findings.push_back(why_it_ended(*result));
    } else {
        findings.push_back({Status::Ok, "sandbox", "a probe ran in one", ""});
    }
    findings.insert(findings.end(), result->findings.begin(), result->findings.end());
}

}  // namespace

Findings examine_machine() {
    Findings findings;
    look_at_kernel(findings);
    Workshop workshop;
    if (!workshop.enter()) {
        findings.push_back({Status::Fail, "sandbox", "/var/tmp cannot be written", "make it mode 1777"});
        return findings;
    }
    Policy policy;
    auto facts = gather_caller();
    auto gathered = facts.ok() ? gather_for_policy(policy, *facts) : Result<void>(facts.error());
    if (!gathered.ok()) {
        findings.push_back({Status::Fail, "sandbox", gathered.error().message, gathered.error().hint});
        return findings;
    }
    if (facts->inside_sbx) {
        findings.push_back({Status::Note, "nesting", "this is inside a sandbox already",
                            "sandbox.nested = \"on\" outside lets another one be made in here"});
    }
    bool usable = look_at_bwrap(*facts, findings);
    look_at_landlock(*facts, findings);
    if (facts->linux_.memfd_exec_forbidden) {
        findings.push_back({Status::Note, "memfd", "vm.memfd_noexec = 2: the inner stage is started from a file instead", ""});
    }
    look_at_limits(*facts, findings);
    if (usable) {
        run_probe(policy, *facts, findings);
    }
    return findings;
}

}  // namespace sbx
