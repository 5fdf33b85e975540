#include "cli/flags.h"

namespace sbx::cli {
namespace {

/// Flags that say which policy applies.
const std::vector<Flag>& policy_flags() {
    static const std::vector<Flag> flags = {
        {"--policy", "FILE", "", "take this policy file too", true},
        {"--profile", "NAME", "", "take this shipped profile too (see sbx profiles)", true},
        {"--preset", "NAME", "sandbox.preset", "a ready-made set of grants: fusion-worktree"},
        {"--backend", "NAME", "sandbox.backend", "auto, native, bubblewrap, sandbox-exec or container"},
        {"--image", "IMAGE", "vm.image", "image of the container backend, NAME@sha256:DIGEST"},
        {"--read", "PATH", "sandbox.allowedReadPaths", "let the command read PATH", true},
        {"--write", "PATH", "sandbox.allowedWritePaths", "let the command read and write PATH", true},
        {"--network", "MODE", "sandbox.network", "off or on"},
        {"--env", "NAME", "sandbox.env.pass", "pass the variable NAME on (or PREFIX_*)", true},
        {"--set-env", "NAME=VALUE", "sandbox.env.set", "set a variable", true},
        {"--home", "KIND", "sandbox.home", "private, persistent or host"},
        {"--nested", "HOW", "sandbox.nested", "off, on or weaker: sandboxes inside the sandbox"},
        {"--mode", "MODE", "sandbox.mode", "manual, auto or bypass"},
        {"--tainted", "", "sandbox.tainted", "the run has seen text from outside", false, "true"},
        {"--untrusted", "", "sandbox.trust", "nobody vouches for the command: read-only, no network", false,
         "untrusted"},
        {"--bypass-anyway", "", "", "let mode bypass hold although the run is tainted"},
        {"--allow-tainted-network", "", "", "let a tainted run have the network"},
        {"--timeout", "TIME", "limits.timeout", "end the command after TIME (10m, 90s)"},
        {"--memory", "SIZE", "limits.memory", "memory of the whole run (512M, 2G)"},
        {"--processes", "N", "limits.processes", "how many processes may exist at a time"},
        {"--cpus", "N", "limits.cpus", "processor time, in processors"},
        {"--file-size", "SIZE", "limits.fileSize", "size of any one file that is written"},
        {"--open-files", "N", "limits.openFiles", "how many files one process may have open"},
        {"--folder", "DIR", "", "work in DIR: it is the worktree and the current folder"},
        {"--id", "NAME", "", "which persistent home to use"},
        {"--allow-git-config", "", "", "let git change its configuration during this run"},
    };
    return flags;
}

std::vector<Flag> with_policy_flags(std::vector<Flag> own) {
    std::vector<Flag> flags = policy_flags();
    flags.insert(flags.end(), own.begin(), own.end());
    return flags;
}

/// Of `explain`: --env asks about a variable instead of passing it.
std::vector<Flag> explain_flags() {
    std::vector<Flag> flags;
    for (const Flag& flag : policy_flags()) {
        if (flag.name == "--env") {
            flags.push_back({"--env", "NAME", "", "does the command get the variable NAME?", true});
        } else if (flag.name == "--backend") {
            flags.push_back({"--backend", "NAME", "sandbox.backend", "print what this backend would be given"});
        } else {
            flags.push_back(flag);
        }
    }
    flags.push_back({"--port", "N", "", "may the command listen on TCP port N?", true});
    flags.push_back({"--json", "", "", "print JSON"});
    return flags;
}

std::vector<Command> make_commands() {
    return {
        {"run", "[FLAGS] [--] COMMAND [ARGUMENT...]", "run a command in a sandbox",
         with_policy_flags({
             {"--strict", "", "", "notes are errors: do not start, or fail at the end"},
             {"--dry-run", "", "", "print the exact command of the backend instead of running it"},
             {"--quiet", "", "", "print no notes"},
             {"--verbose", "", "", "print what was left out and why"},
             {"--log-denials", "", "", "macOS: print what the sandbox refused, from the system's log"},
             {"--keep-fd", "N", "", "leave descriptor N open for the command", true},
             {"--json-status-fd", "N", "", "write JSON lines about the run to descriptor N"},
         }),
         true},
        {"check", "[FLAGS] [FILE...]", "validate policies and say where they are weaker than the default",
         {
             {"--strict", "", "", "notes fail, too"},
             {"--json", "", "", "print JSON"},
             {"--policy", "FILE", "", "take this policy file too", true},
             {"--profile", "NAME", "", "take this shipped profile too", true},
         }},
        {"explain", "[FLAGS] [PATH...]", "show what a command would get, and which rule says so", explain_flags()},
        {"path", "--read|--write [FLAGS] PATH...", "say whether a policy may grant a path",
         {
             {"--read", "", "", "ask about reading"},
             {"--write", "", "", "ask about writing"},
             {"--policy", "FILE", "", "take this policy file too", true},
             {"--profile", "NAME", "", "take this shipped profile too", true},
         }},
        {"init", "[FLAGS]", "write a commented sbx.toml into the current folder",
         {{"--profile", "NAME", "", "start from this shipped profile"}}},
        {"trust", "[FLAGS] [FILE]", "accept a project's own policy as it is now",
         {
             {"--list", "", "", "list what is trusted"},
             {"--revoke", "", "", "take the trust back"},
         }},
        {"profiles", "[NAME...]", "list the shipped profiles, or print some", {}},
        {"schema", "", "print the policy language as a JSON Schema", {}},
        {"doctor", "[--json]", "test what of the sandbox works on this machine, and say what to do",
         {{"--json", "", "", "print JSON"}}},
        {"held", "[FLAGS] [PATH...]", "list what runs changed of files that the host runs or obeys",
         {
             {"--diff", "", "", "show the changes themselves"},
             {"--all", "", "", "in every folder, not only around this one"},
             {"--json", "", "", "print JSON"},
         }},
        {"accept", "[FLAGS] [PATH...]", "put held changes in place",
         {
             {"--all", "", "", "in every folder, not only around this one"},
             {"--replace", "", "", "also where the file was edited since; the edit is held in turn"},
         }},
        {"discard", "[FLAGS] [PATH...]", "forget held changes",
         {{"--all", "", "", "in every folder, not only around this one"}}},
        {"vm", "pull [FLAGS]", "fetch the image of the container backend",
         {
             {"--image", "IMAGE", "", "this image, NAME@sha256:DIGEST, instead of the policy's"},
             {"--policy", "FILE", "", "take this policy file too", true},
             {"--profile", "NAME", "", "take this shipped profile too", true},
         }},
        {"selftest", "[FLAGS] [web|files|all]", "try, in a sandbox with your policy, what must not work there",
         with_policy_flags({{"--json", "", "", "print JSON"}})},
    };
}

}  // namespace

const std::vector<Command>& commands() {
    static const std::vector<Command> all = make_commands();
    return all;
}

const Command* find_command(std::string_view name) {
    for (const Command& command : commands()) {
        if (command.name == name) {
            return &command;
        }
    }
    return nullptr;
}

const Flag* find_flag(const Command& command, std::string_view name) {
    for (const Flag& flag : command.flags) {
        if (flag.name == name) {
            return &flag;
        }
    }
    return nullptr;
}

}  // namespace sbx::cli
