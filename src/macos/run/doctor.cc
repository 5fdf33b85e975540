#include "run/doctor.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "host/gather.h"
#include "macos/render/doctor_lines.h"
#include "macos/run/run_seatbelt.h"
#include "plan/build.h"
#include "util/fd.h"
#include "util/text.h"

namespace sbx {
namespace {

constexpr size_t kMostOutput = 1 << 20;
constexpr int64_t kTimeLimitMs = 60'000;

/// A file in the home that nothing inside may read; removed again.
class Canary {
  public:
    explicit Canary(const std::string& home) : path_(path_join(home, ".sbx-selftest-XXXXXX")) {
        fd_.reset(mkstemp(path_.data()));
    }
    ~Canary() {
        if (fd_.valid()) {
            unlink(path_.c_str());
        }
    }
    Canary(const Canary&) = delete;
    Canary& operator=(const Canary&) = delete;

    bool valid() const { return fd_.valid(); }
    const std::string& path() const { return path_; }

  private:
    std::string path_;
    Fd fd_;
};

/// Runs `command` under the policy in a process of its own and returns what it printed.
Result<std::string> run_inside(const Policy& policy, const HostFacts& facts, const std::vector<std::string>& command) {
    Invocation invocation;
    invocation.argv = command;
    SBX_ASSIGN(Plan plan, build_plan(policy, facts, invocation));
    if (plan.backend != Backend::SandboxExec) {
        return Error{"backend_unavailable", "the policy does not ask for sandbox-exec", ""};
    }
    plan.limits.timeout_ms = kTimeLimitMs;
    int pair[2];
    if (pipe(pair) != 0) {
        return Error{"io", "no pipe", ""};
    }
    Fd read_end(pair[0]);
    Fd write_end(pair[1]);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(write_end.get(), 1);
        Outcome outcome = run_seatbelt(plan, facts, {-1, true, false, false});
        if (!outcome.error.message.empty()) {
            (void)write_all(1, "FAIL|sandbox|" + printable_line(outcome.error.message) + "\n");
        }
        _exit(exit_status(outcome));
    }
    write_end.reset();
    auto output = read_all(read_end.get(), kMostOutput);
    while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    return output;
}

}  // namespace

Findings examine_machine() {
    Policy policy;
    auto facts = gather_caller();
    auto gathered = facts.ok() ? gather_for_policy(policy, *facts) : Result<void>(facts.error());
    if (!gathered.ok()) {
        return {{Finding::Status::Fail, "sandbox", gathered.error().message, gathered.error().hint}};
    }
    Result<void> trial;
    if (facts->mac.sandbox_exec && !facts->mac.inside_sandbox) {
        auto output = run_inside(policy, *facts, {"/usr/bin/true"});
        if (!output.ok()) {
            trial = output.error();
        } else if (!output->empty()) {
            trial = Error{"backend_failed", selftest_findings(*output).front().text, ""};
        }
    }
    return mac_findings(*facts, trial);
}

Findings test_policy(const Policy& policy, const HostFacts& facts) {
    Canary canary(facts.home);
    if (!canary.valid()) {
        return {{Finding::Status::Fail, "home", "no file can be made in " + printable_line(facts.home), ""}};
    }
    bool network = policy.network.value == NetworkMode::On;
    auto output = run_inside(policy, facts, {"/bin/sh", "-c", mac_selftest_script(canary.path(), network)});
    if (!output.ok()) {
        return {{Finding::Status::Fail, "sandbox", output.error().message, output.error().hint}};
    }
    Findings findings = selftest_findings(*output);
    if (findings.empty()) {
        findings.push_back({Finding::Status::Fail, "sandbox", "the probe printed nothing", "see sbx doctor"});
    }
    return findings;
}

int probe_main(int, char**) { return 2; }

}  // namespace sbx
