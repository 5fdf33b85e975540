// The host's side of a probe: things to be reached in vain, and a look at them afterwards.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "host/facts.h"
#include "policy/policy.h"
#include "run/finding.h"
#include "util/fd.h"
#include "util/result.h"

namespace sbx {

/// How the probe that takes memory ends, when nothing kills it.
inline constexpr int kMemoryRefused = 1;
inline constexpr int kMemoryTaken = 2;

struct ProbeResult {
    bool ran = false;       ///< the probe came to its end
    std::string errors;     ///< what sbx said
    int status = -1;
    Findings findings;
};

/// Of a probe that did not come to its end: the failure, and what to do about it.
Finding why_it_ended(const ProbeResult& result);

class ProbeHost {
  public:
    ProbeHost() = default;
    ProbeHost(const ProbeHost&) = delete;
    ProbeHost& operator=(const ProbeHost&) = delete;
    ~ProbeHost();

    /// Runs the probe in the sandbox that `policy` describes. `facts`: gathered for it.
    Result<ProbeResult> run(const Policy& policy, HostFacts facts);

    /// True when a command that takes more than limits.memory was stopped. Only with that limit set.
    Result<bool> memory_is_limited(const Policy& policy, const HostFacts& facts);

  private:
    Result<void> plant(const HostFacts& facts);
    std::vector<std::string> words(const Policy& policy, const HostFacts& facts) const;

    std::string directory_;   ///< outside of everything that is granted
    std::string secret_;
    std::string abstract_;
    Fd listener_;
    Fd abstract_listener_;
    Fd open_directory_;
    int port_ = 0;
    pid_t victim_ = -1;
};

}  // namespace sbx
