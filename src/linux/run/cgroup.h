// The control groups of one run: made before bwrap starts, gone when it has ended.
#pragma once

#include <string>
#include <vector>

#include "host/facts.h"
#include "plan/plan.h"
#include "util/fd.h"
#include "util/result.h"

namespace sbx {

class Cgroups {
  public:
    Cgroups() = default;
    Cgroups(Cgroups&& other) noexcept = default;
    Cgroups& operator=(Cgroups&&) = delete;
    Cgroups(const Cgroups&) = delete;
    Cgroups& operator=(const Cgroups&) = delete;
    /// Removes the groups; every process in them has ended by then.
    ~Cgroups();

    /// Makes what `plan.limits` needs of `facts.linux_.cgroup` and `.pids_cgroup`; nothing without limits.
    /// Error: "limit_failed".
    static Result<Cgroups> make(const Plan& plan, const HostFacts& facts);

    /// Descriptors of the files that a process writes "0" to in order to enter the groups.
    std::vector<int> entrances() const;

    /// The keys of the limits that this run has run into, as the kernel counted: "limits.memory", ...
    std::vector<std::string> reached() const;

  private:
    Result<void> add(const std::string& parent, const std::vector<std::pair<std::string, std::string>>& settings);

    std::vector<std::string> directories_;
    std::vector<Fd> entrances_;
};

}  // namespace sbx
