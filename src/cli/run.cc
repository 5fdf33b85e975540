// sbx run
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/output.h"
#include "cli/prepare.h"
#include "cli/secrets.h"
#include "plan/build.h"
#include "run/console.h"
#include "run/outcome.h"
#include "run/run.h"
#include "run/status_writer.h"
#include "util/fd.h"
#include "util/text.h"

namespace sbx::cli {
namespace {

/// mode = "manual": the person at the terminal sees all of it and decides (P86, P140).
Result<void> ask(const Plan& plan) {
    Fd terminal(open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
    if (!terminal.valid()) {
        return Error{"not_allowed", "mode manual asks before every run, and there is no terminal to ask on",
                     "run it from a terminal, or with --mode auto"};
    }
    std::string text = "sbx: run " + printable_line(shell_join(plan.argv)) + "\n";
    for (const Mount& mount : plan.mounts) {
        bool grant = mount.purpose == Purpose::Worktree || mount.purpose == Purpose::ReadGrant ||
                     mount.purpose == Purpose::WriteGrant || mount.purpose == Purpose::Git;
        if (grant) {
            text += fmt::format("sbx:   {} {}\n", mount.access == Access::Write ? "write" : "read ",
                                printable_line(mount.destination));
        }
    }
    text += fmt::format("sbx:   backend {}\n", backend_name(plan.backend));
    text += fmt::format("sbx:   network {}\n", plan.network.mode == NetworkMode::On ? "on" : "off");
    if (plan.backend == Backend::Native) {
        text += "sbx:   WITHOUT a sandbox\n";
    }
    text += "sbx: start it? [y/N] ";
    SBX_CHECK(write_all(terminal.get(), text));
    char answer[256];
    ssize_t got = read(terminal.get(), answer, sizeof answer);
    if (got < 1 || (answer[0] != 'y' && answer[0] != 'Y')) {
        return Error{"not_allowed", "not started", ""};
    }
    return {};
}

/// Says why nothing was run, to the person and to the host program.
int failed(const Error& error, const RunOptions& options = {}) {
    say(error);
    StatusWriter(options.json_status_fd).ended(Outcome::failed(error));
    return ExitStatus::kFailed;
}

/// For the host program; the person sees them all. `errors` is not empty.
Error first_error(const Diagnostics& errors) {
    const Diagnostic& first = errors.front();
    return {first.code, first.origin.text() + ": " + first.message, first.hint};
}

Result<RunOptions> run_options(const Arguments& arguments) {
    RunOptions options;
    options.quiet = arguments.has("--quiet");
    options.verbose = arguments.has("--verbose");
    options.log_denials = arguments.has("--log-denials");
    if (const std::string* text = arguments.value("--json-status-fd")) {
        SBX_ASSIGN(options.json_status_fd, descriptor_number("--json-status-fd", *text));
        if (fcntl(options.json_status_fd, F_GETFD) < 0) {
            return Error{"usage", fmt::format("--json-status-fd: descriptor {} is not open", *text), ""};
        }
    }
    return options;
}

}  // namespace

int run(const Arguments& arguments) {
    auto options = run_options(arguments);
    if (!options) {
        return failed(options.error());
    }
    if (arguments.words.empty() || arguments.words[0].empty()) {
        return failed({"usage", arguments.words.empty() ? "no command was given" : "the command's name is empty",
                       "usage: sbx run [FLAGS] [--] COMMAND [ARGUMENT...]"},
                      *options);
    }
    auto prepared = prepare(arguments, !arguments.has("--dry-run"));
    if (!prepared) {
        return failed(prepared.error(), *options);
    }
    if (!prepared->loaded.errors.empty()) {
        report_errors(prepared->loaded, "nothing was run");
        StatusWriter(options->json_status_fd).ended(Outcome::failed(first_error(prepared->loaded.errors)));
        return ExitStatus::kFailed;
    }
    auto plan = plan_of(*prepared, arguments, arguments.words);
    if (!plan) {
        return failed(plan.error(), *options);
    }
    if (arguments.has("--strict") && (!plan->notes.empty() || !plan->warnings.empty())) {
        for (const auto* lines : {&plan->warnings, &plan->notes}) {
            for (const std::string& line : *lines) {
                say(line);
            }
        }
        return failed({"strict", "--strict: the notes above are errors; nothing was run", ""}, *options);
    }
    if (arguments.has("--dry-run")) {
        Redactor redact = redactor_for(prepared->facts, prepared->loaded.policy);
        auto text = describe_launch(without_values(*plan), prepared->facts);
        if (!text) {
            return failed(redacted(redact, text.error()), *options);
        }
        for (const std::string& warning : plan->warnings) {
            say(warning);
        }
        return print(redact(*text) + "\n") == 0 ? 0 : ExitStatus::kFailed;
    }
    if (prepared->loaded.policy.mode.value == Mode::Manual) {
        if (auto allowed = ask(*plan); !allowed) {
            return failed(allowed.error(), *options);
        }
    }
    options->clean = [&](const std::string& text) {
        return redactor_for(prepared->facts, prepared->loaded.policy)(text);
    };
    options->early = prepared->early;
    return run_plan(*plan, prepared->facts, *options);
}

}  // namespace sbx::cli
