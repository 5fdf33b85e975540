// Plan -> Seatbelt profile and sandbox-exec command line. Pure: compiled and tested everywhere.
#pragma once

#include <string>
#include <vector>

#include "host/facts.h"
#include "plan/plan.h"
#include "util/result.h"

namespace sbx {

/// Not looked for in PATH: a hostile directory there would replace the sandbox itself.
inline constexpr const char* kSandboxExec = "/usr/bin/sandbox-exec";

struct SeatbeltOptions {
    std::string denial_tag;   ///< message of every denial in the system's log, for --log-denials; "" for none
};

/// The whole profile. Errors: "not_expressible" for a plan that Seatbelt has no words for (with the
/// nearest form that it has), "invalid_path" for a destination that is not absolute and canonical.
Result<std::string> render_seatbelt(const Plan& plan, const HostFacts& facts, const SeatbeltOptions& options = {});

/// `sandbox-exec -f PROFILE -- COMMAND...`. The profile goes into a file: as an argument it made every
/// command fail beyond 1 MiB (claude-code#73468).
std::vector<std::string> seatbelt_command(const std::string& tool, const std::string& profile_file,
                                          const std::vector<std::string>& command);

/// The name of a service that only processes of this run may look up (nobody offers it): by asking the
/// kernel who may, the runner finds what is left of the run. `facts.mac.run_directory` makes it unique.
std::string run_mark(const HostFacts& facts);

/// What --dry-run and `sbx explain --backend sandbox-exec` show: the command line, then the profile.
Result<std::string> describe_seatbelt(const Plan& plan, const HostFacts& facts);

}  // namespace sbx
