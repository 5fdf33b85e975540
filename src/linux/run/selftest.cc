#include "linux/run/probe_host.h"
#include "run/doctor.h"
#include "util/text.h"

namespace sbx {

Findings test_policy(const Policy& policy, const HostFacts& facts) {
    ProbeHost host;
    auto result = host.run(policy, facts);
    if (!result.ok()) {
        return {{Finding::Status::Fail, "sandbox", result.error().message, result.error().hint}};
    }
    Findings findings = result->findings;
    if (result->status < 0) {
        return findings;  // there is no sandbox to test
    }
    if (!result->ran) {
        findings.push_back(why_it_ended(*result));
        if (result->findings.empty()) {
            return findings;
        }
    }
    if (!facts.git || !facts.git->trusted) {
        findings.push_back({Finding::Status::Note, "git directory", "no repository here, so nothing to guard", ""});
    } else if (policy.guards.git.value == GuardWhen::Off) {
        findings.push_back({Finding::Status::Note, "git directory", "not guarded, as guards.git says", ""});
    }
    if (policy.home.value == HomeMode::Host) {
        findings.push_back({Finding::Status::Note, "home", "is the host's, as sandbox.home says", ""});
    }
    if (!policy.limits.memory.value) {
        findings.push_back({Finding::Status::Note, "memory", "not limited (limits.memory is not set)", ""});
    } else {
        auto limited = host.memory_is_limited(policy, facts);
        bool good = limited.ok() && *limited;
        findings.push_back({good ? Finding::Status::Ok : Finding::Status::Fail, "memory",
                            good ? "a command that takes more than limits.memory is stopped"
                                 : "a command could take more than limits.memory",
                            ""});
    }
    return findings;
}

}  // namespace sbx
