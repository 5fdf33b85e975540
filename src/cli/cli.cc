#include "cli/cli.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/output.h"
#include "policy/suggest.h"
#include "run/console.h"
#include "run/outcome.h"
#include "run/run.h"
#include "run/status_writer.h"
#include "util/text.h"

namespace sbx::cli {
namespace {

struct Entry {
    std::string_view name;
    int (*run)(const Arguments& arguments);
};

constexpr Entry kEntries[] = {
    {"run", run},   {"check", check}, {"explain", explain},   {"path", path},
    {"init", init}, {"trust", trust}, {"profiles", profiles}, {"schema", schema},
    {"doctor", doctor}, {"selftest", selftest},
    {"held", held}, {"accept", accept}, {"discard", discard},   {"vm", vm},
};

int unknown_command(const std::string& name) {
    std::vector<std::string_view> names;
    for (const Command& command : commands()) {
        names.push_back(command.name);
    }
    std::string close = nearest(name, names);
    std::string hint = close.empty() ? "" : fmt::format("did you mean sbx {}? ", close);
    say(Error{"usage", fmt::format("there is no subcommand \"{}\"", printable_line(name)),
              hint + "sbx --help lists them; to run a command: sbx run -- " + printable_line(name)});
    return kUsage;
}

/// The host program's descriptor on a command line that could not be taken as a whole; -1 without one.
int status_descriptor(const std::vector<std::string>& words) {
    constexpr std::string_view kFlag = "--json-status-fd";
    for (size_t i = 1; i < words.size() && words[i] != "--"; ++i) {
        bool joined = words[i].rfind(std::string(kFlag) + "=", 0) == 0;
        if (joined || (words[i] == kFlag && i + 1 < words.size())) {
            auto number = descriptor_number(kFlag, joined ? words[i].substr(kFlag.size() + 1) : words[i + 1]);
            return number && fcntl(*number, F_GETFD) >= 0 ? *number : -1;
        }
    }
    return -1;
}

int dispatch(const std::vector<std::string>& words) {
    if (words.empty()) {
        say(Error{"usage", "what should be done?", "sbx run -- COMMAND runs a command; sbx --help lists the rest"});
        return kUsage;
    }
    if (words[0] == "--version" || words[0] == "-V") {
        return print("sbx " SBX_VERSION "\n");
    }
    if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
        return print(overview_text());
    }
    const Command* command = find_command(words[0]);
    if (command == nullptr) {
        return unknown_command(words[0]);
    }
    auto arguments = parse_arguments(*command, {words.begin() + 1, words.end()});
    if (!arguments) {
        say(arguments.error());
        if (!command->takes_command) {
            return kUsage;
        }
        StatusWriter(status_descriptor(words)).ended(Outcome::failed(arguments.error()));
        return ExitStatus::kFailed;
    }
    if (arguments->help) {
        return print(help_text(*command));
    }
    for (const Entry& entry : kEntries) {
        if (entry.name == command->name) {
            return entry.run(*arguments);
        }
    }
    return kUsage;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        std::vector<std::string> words;
        for (int i = 1; i < argc; ++i) {
            words.emplace_back(argv[i]);
        }
        return dispatch(words);
    } catch (const std::exception& error) {
        say(fmt::format("internal error: {}", error.what()));
        return ExitStatus::kFailed;
    }
}

}  // namespace sbx::cli
