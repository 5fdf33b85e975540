#include "run/run.h"

#include "linux/render/bwrap.h"
#include "macos/render/seatbelt.h"
#include "run/backends.h"
#include "run/console.h"
#include "run/folders.h"
#include "run/hints.h"
#include "run/outcome.h"
#include "run/status_writer.h"
#include "util/text.h"
#include "vm/render/container.h"

namespace sbx {

Result<std::string> describe_launch(const Plan& plan, const HostFacts& facts) {
    switch (plan.backend) {
        case Backend::Native: return shell_join(plan.argv);
        case Backend::Bubblewrap: {
            SBX_ASSIGN(LinuxLaunch launch, render_bwrap(plan, facts));
            return describe(launch);
        }
        case Backend::SandboxExec: return describe_seatbelt(plan, facts);
        case Backend::Container: {
            SBX_ASSIGN(ContainerLaunch launch, render_container(plan, facts));
            return describe(launch);
        }
    }
    return Error{"backend_unavailable", "unknown backend", ""};
}

int run_plan(const Plan& plan, const HostFacts& facts, const RunOptions& options) {
    if (!options.quiet) {
        for (const auto& note : plan.notes) {
            say(note);
        }
    }
    auto created = create_folders(plan);
    Outcome outcome = created.ok() ? run_with_backend(plan, facts, options) : Outcome::failed(created.error());
    if (!outcome.error.message.empty()) {
        std::string subject = outcome.kind == Outcome::Kind::NotFound || outcome.kind == Outcome::Kind::NotExecutable
                                  ? shell_quote(printable_line(plan.argv.front())) + ": "
                                  : "";
        say(Error{outcome.error.code, subject + outcome.error.message, outcome.error.hint});
    }
    if (facts.terminal_output && !options.quiet) {
        if (std::string hint = find_hint(plan, facts, outcome); !hint.empty()) {
            say(hint);
        }
    }
    StatusWriter(options.json_status_fd).ended(outcome);
    finish(outcome);
}

}  // namespace sbx
