#include "linux/run/probe_host.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "linux/run/bwrap_errors.h"
#include "linux/run/captured_run.h"
#include "plan/build.h"
#include "run/doctor.h"
#include "util/text.h"

namespace sbx {
namespace {

constexpr const char* kProgram = "/run/sbx-probe";
constexpr size_t kLargestProgram = 64 << 20;
constexpr int64_t kTimeoutMs = 30'000;
constexpr int kDescriptor = 57;   // not among the pipes that a shell would name

constexpr const char* kUnknownCause =
    "sbx knows no cause for this. Try bwrap alone, as the same user:\n"
    "    bwrap --unshare-user --unshare-pid --ro-bind / / --proc /proc true\n"
    "If that fails too, it is this bwrap or a rule of the machine: sudo dmesg names what AppArmor or SELinux refused. "
    "If it works, please report this line";

Error failure(const std::string& what) { return Error{"probe", what + ": " + std::strerror(errno), ""}; }

/// The plan of `policy` for the probe. The program is brought along on the sandbox's own tmpfs, so that
/// it need not be visible through any grant.
Result<Plan> probe_plan(const Policy& policy, const HostFacts& facts, const std::vector<std::string>& words) {
    Invocation invocation;
    invocation.argv = {kProgram, kProbeWord};
    invocation.argv.insert(invocation.argv.end(), words.begin(), words.end());
    SBX_ASSIGN(Plan plan, build_plan(policy, facts, invocation));
    Fd self(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
    SBX_ASSIGN(std::string program, read_all(self.get(), kLargestProgram));
    Mount mount;
    mount.kind = Mount::Kind::File;
    mount.destination = kProgram;
    mount.mode = 0555;
    mount.data = std::move(program);
    mount.is_directory = false;
    auto after_system = plan.mounts.begin();
    while (after_system != plan.mounts.end() && after_system->purpose < Purpose::Toolchain) {
        ++after_system;
    }
    plan.mounts.insert(after_system, std::move(mount));
    if (!plan.limits.timeout_ms || *plan.limits.timeout_ms > kTimeoutMs) {
        plan.limits.timeout_ms = kTimeoutMs;
    }
    plan.notes.clear();
    return plan;
}

Findings parse(const std::string& output, bool& done) {
    Findings findings;
    for (const std::string& line : split(output, '\n')) {
        done = done || line == "done";
        size_t first = line.find('|');
        size_t second = line.find('|', first + 1);
        if (first == std::string::npos || second == std::string::npos) {
            continue;
        }
        Finding finding;
        std::string status = line.substr(0, first);
        finding.status = status == "ok"     ? Finding::Status::Ok
                         : status == "note" ? Finding::Status::Note
                                            : Finding::Status::Fail;
        finding.layer = line.substr(first + 1, second - first - 1);
        finding.text = line.substr(second + 1);
        findings.push_back(std::move(finding));
    }
    return findings;
}

void judge(Findings& findings, bool contained, const char* layer, const char* good, const char* bad) {
    findings.push_back({contained ? Finding::Status::Ok : Finding::Status::Fail, layer, contained ? good : bad, ""});
}

}  // namespace

Finding why_it_ended(const ProbeResult& result) {
    Finding finding{Finding::Status::Fail, "sandbox", "", ""};
    for (std::string line : split(result.errors, '\n')) {
        line = line.rfind("sbx: ", 0) == 0 ? line.substr(5) : line;
        if (finding.text.empty()) {
            finding.text = line;
        } else if (!line.empty() && line != kSeeDoctor) {
            finding.remedy += (finding.remedy.empty() ? "" : "\n") + line;
        }
    }
    finding.text = (result.findings.empty() ? "does not start: "
                                            : "the probe ended early, with status " + std::to_string(result.status) + ": ") +
                   (finding.text.empty() ? "it said nothing" : finding.text);
    if (finding.remedy.empty()) {
        finding.remedy = kUnknownCause;
    }
    return finding;
}

ProbeHost::~ProbeHost() {
    if (victim_ > 0) {
        kill(victim_, SIGKILL);
        waitpid(victim_, nullptr, 0);
    }
    if (!secret_.empty()) {
        unlink(secret_.c_str());
    }
    if (!directory_.empty()) {
        unlink(path_join(directory_, "written").c_str());
        rmdir(directory_.c_str());
    }
}

Result<void> ProbeHost::plant(const HostFacts& facts) {
    char directory[] = "/var/tmp/sbx-selftest-XXXXXX";
    if (mkdtemp(directory) == nullptr) {
        return failure("/var/tmp");
    }
    directory_ = directory;
    if (!facts.home.empty()) {
        std::string secret = path_join(facts.home, ".sbx-selftest-" + std::to_string(getpid()));
        Fd file(open(secret.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
        if (file.valid()) {
            secret_ = secret;
        }
    }
    open_directory_.reset(open(directory, O_RDONLY | O_DIRECTORY));
    if (dup2(open_directory_.get(), kDescriptor) != kDescriptor) {
        return failure("descriptors");
    }
    open_directory_.reset(kDescriptor);
    listener_.reset(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), size) == 0 && listen(listener_.get(), 8) == 0 &&
        getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0) {
        port_ = ntohs(address.sin_port);
    }
    abstract_ = "sbx-selftest-" + std::to_string(getpid());
    abstract_listener_.reset(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un local{};
    local.sun_family = AF_UNIX;
    std::memcpy(local.sun_path + 1, abstract_.data(), abstract_.size());
    size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + abstract_.size());
    if (bind(abstract_listener_.get(), reinterpret_cast<sockaddr*>(&local), size) != 0 ||
        listen(abstract_listener_.get(), 8) != 0) {
        return failure("abstract socket");
    }
    victim_ = fork();
    if (victim_ == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;) {
            pause();
        }
    }
    return victim_ > 0 ? Result<void>() : Result<void>(failure("fork"));
}

std::vector<std::string> ProbeHost::words(const Policy& policy, const HostFacts& facts) const {
    std::vector<std::string> words = {"outside=" + path_join(directory_, "written"),
                                      "abstract=" + abstract_,
                                      "victim=" + std::to_string(victim_),
                                      "descriptor=" + std::to_string(kDescriptor)};
    if (port_ > 0) {
        words.push_back("port=" + std::to_string(port_));
    }
    if (!secret_.empty() && policy.home.value != HomeMode::Host) {
        words.push_back("secret=" + secret_);
    }
    if (policy.network.value == NetworkMode::On) {
        words.emplace_back("network=on");
    }
    if (policy.nested.value != Nested::Off) {
        words.emplace_back("nested=on");
    }
    bool guarded = policy.guards.git.value == GuardWhen::Always ||
                   (policy.guards.git.value == GuardWhen::Tainted && policy.tainted.value);
    if (guarded && facts.git && facts.git->trusted && !facts.git->entry_is_file && !facts.git->entry_is_link) {
        words.push_back("git=" + facts.git->entry);
    }
    return words;
}

Result<ProbeResult> ProbeHost::run(const Policy& policy, HostFacts facts) {
    SBX_CHECK(plant(facts));
    facts.environment.emplace_back("SELFTEST_API_TOKEN", "planted");
    SBX_ASSIGN(Plan plan, probe_plan(policy, facts, words(policy, facts)));
    ProbeResult result;
    if (plan.backend == Backend::Native) {
        result.findings.push_back({Finding::Status::Fail, "sandbox", "the policy asks for none (native)",
                                   "set sandbox.backend = \"auto\" and sandbox.mode = \"auto\""});
        return result;
    }
    CapturedRun run = run_captured(plan, facts);
    result.errors = run.errors;
    result.status = run.status;
    result.findings = parse(run.output, result.ran);
    if (!result.ran) {
        return result;
    }
    judge(result.findings, access(path_join(directory_, "written").c_str(), F_OK) != 0, "outside",
          "nothing was written outside", "a file was written outside");
    judge(result.findings, waitpid(victim_, nullptr, WNOHANG) == 0, "signals", "a process of the host was not reached",
          "a process of the host was killed");
    return result;
}

Result<bool> ProbeHost::memory_is_limited(const Policy& policy, const HostFacts& facts) {
    auto bytes = static_cast<uint64_t>(policy.limits.memory.value.value_or(0)) + (64U << 20);
    SBX_ASSIGN(Plan plan, probe_plan(policy, facts, {"memory=" + std::to_string(bytes)}));
    CapturedRun run = run_captured(plan, facts);
    // Anything else than having been stopped (it did not start, it took too long) proves nothing.
    return run.status == kMemoryRefused || run.status == 128 + SIGKILL;
}

}  // namespace sbx
