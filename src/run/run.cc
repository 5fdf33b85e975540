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

namespace {

/// What the program that bwrap starts does last. It gets these words over a descriptor: no process of the
/// host sees them on a command line, so they would be missing from what is shown.
std::string words_inside(const Plan& plan) {
    std::vector<std::string> words = {"env", "-i"};
    for (const EnvironmentEntry& entry : plan.environment) {
        words.push_back(entry.name + "=" + entry.value);
    }
    words.insert(words.end(), plan.argv.begin(), plan.argv.end());
    return "\ninside: " + shell_join({"cd", plan.cwd}) + " && exec " + shell_join(words);
}

}  // namespace

Result<std::string> describe_launch(const Plan& plan, const HostFacts& facts) {
    switch (plan.backend) {
        case Backend::Native: return shell_join(plan.argv);
        case Backend::Bubblewrap: {
            SBX_ASSIGN(LinuxLaunch launch, render_bwrap(plan, facts));
            return describe(launch) + words_inside(plan);
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
    auto clean = [&](const std::string& text) { return options.clean ? options.clean(text) : text; };
    for (const auto& warning : plan.warnings) {
        say(warning);
    }
    if (!options.quiet) {
        for (const auto& note : plan.notes) {
            say(note);
        }
    }
    if (options.verbose) {
        for (const auto& line : plan.left_out) {
            say(line);
        }
    }
    auto created = create_folders(plan);
    Outcome outcome = created.ok() ? run_with_backend(plan, facts, options) : Outcome::failed(created.error());
    if (!outcome.error.message.empty()) {
        std::string subject = outcome.kind == Outcome::Kind::NotFound || outcome.kind == Outcome::Kind::NotExecutable
                                  ? shell_quote(printable_line(plan.argv.front())) + ": "
                                  : "";
        outcome.error = {outcome.error.code, clean(outcome.error.message), clean(outcome.error.hint)};
        say(Error{outcome.error.code, clean(subject) + outcome.error.message, outcome.error.hint});
    }
    if (facts.terminal_output && !options.quiet) {
        if (std::string hint = find_hint(plan, facts, outcome); !hint.empty()) {
            say(clean(hint));
        }
    }
    if (options.early) {
        options.early->cancel();  // finish() runs no destructors
    }
    StatusWriter(options.json_status_fd).ended(outcome);
    finish(outcome);
}

}  // namespace sbx
