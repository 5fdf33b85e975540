#include "run/run.h"

#include "linux/render/bwrap.h"
#include "macos/render/seatbelt.h"
#include "run/backends.h"
#include "run/console.h"
#include "run/outcome.h"
#include "run/status_writer.h"
#include "util/text.h"

namespace sbx {

Result<std::string> describe_launch(const Plan& plan, const HostFacts& facts) {
    switch (plan.backend) {
        case Backend::Native: return shell_join(plan.argv);
        case Backend::Bubblewrap: {
            SBX_ASSIGN(LinuxLaunch launch, render_bwrap(plan, facts));
            return describe(launch);
        }
        case Backend::SandboxExec: return describe_seatbelt(plan, facts);
        default: return Error{"backend_unavailable", "this backend cannot be described here", ""};
    }
}

int run_plan(const Plan& plan, const HostFacts& facts, const RunOptions& options) {
    if (!options.quiet) {
        for (const auto& note : plan.notes) {
            say(note);
        }
    }
    Outcome outcome = run_with_backend(plan, facts, options);
    if (!outcome.error.message.empty()) {
        std::string subject = outcome.kind == Outcome::Kind::NotFound || outcome.kind == Outcome::Kind::NotExecutable
                                  ? shell_quote(printable_line(plan.argv.front())) + ": "
                                  : "";
        say(Error{outcome.error.code, subject + outcome.error.message, outcome.error.hint});
    }
    StatusWriter(options.json_status_fd).ended(outcome);
    finish(outcome);
}

}  // namespace sbx
