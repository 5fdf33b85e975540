#include "cli/parse.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

#include "policy/suggest.h"
#include "util/text.h"

namespace sbx::cli {
namespace {

/// Where the flags of a command line end.
struct Split {
    std::vector<std::string> flags;   ///< as CLI11 takes them
    std::vector<std::string> words;
};

Error usage(const Command& command, std::string message, std::string hint = "") {
    if (hint.empty()) {
        hint = fmt::format("sbx {} --help lists the flags", command.name);
    }
    return {"usage", std::move(message), std::move(hint)};
}

Error unknown_flag(const Command& command, std::string_view name) {
    std::vector<std::string_view> names = {"--help"};
    for (const Flag& flag : command.flags) {
        names.push_back(flag.name);
    }
    std::string close = nearest(name, names);
    std::string hint = close.empty() ? "" : "did you mean " + close + "? ";
    if (command.takes_command) {
        hint += fmt::format("a command of that name: sbx {} -- {}", command.name, printable_line(name));
    }
    return usage(command, fmt::format("unknown option {}", printable_line(name)), hint);
}

/// CLI11 would go on reading options in the middle of the command's own arguments, so the border is
/// drawn here, from the same table that CLI11 gets.
Result<Split> split_words(const Command& command, const std::vector<std::string>& words) {
    Split split;
    for (size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (word == "--") {
            split.words.insert(split.words.end(), words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
            return split;
        }
        if (word.size() < 2 || word.front() != '-') {
            if (command.takes_command) {
                split.words.insert(split.words.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
                return split;
            }
            split.words.push_back(word);
            continue;
        }
        if (word == "--help" || word == "-h") {
            split.flags.push_back("--help");
            continue;
        }
        size_t equals = word.find('=');
        std::string name = word.substr(0, equals);
        const Flag* flag = find_flag(command, name);
        if (flag == nullptr) {
            return unknown_flag(command, name);
        }
        if (flag->value.empty()) {
            if (equals != std::string::npos) {
                return usage(command, name + " takes no value");
            }
            split.flags.push_back(name);
            continue;
        }
        if (equals == std::string::npos && i + 1 == words.size()) {
            return usage(command, fmt::format("{} needs a value: {} {}", name, name, flag->value));
        }
        std::string value = equals == std::string::npos ? words[++i] : word.substr(equals + 1);
        if (!value.empty() && value.front() == '-') {
            split.flags.push_back(name + "=" + value);  // else CLI11 would take the value for an option
        } else {
            split.flags.push_back(name);
            split.flags.push_back(value);
        }
    }
    return split;
}

/// One CLI11 option for each flag. Raw results, no brackets: a folder may be called "[a,b]".
void declare(CLI::App& app, const Command& command, std::vector<CLI::Option*>& options) {
    app.set_help_flag();
    for (const Flag& flag : command.flags) {
        CLI::Option* option = nullptr;
        if (flag.value.empty()) {
            option = app.add_flag(std::string(flag.name));
        } else {
            option = app.add_option(std::string(flag.name), CLI::callback_t([](const CLI::results_t&) { return true; }));
            option->type_size(1)->expected(1)->allow_extra_args(false);
            option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
        }
        options.push_back(option);
    }
}

/// Restores the order of the command line, which CLI11 keeps for options but not for their values.
std::vector<std::pair<const Flag*, std::string>> in_order(const CLI::App& app, const Command& command,
                                                          const std::vector<CLI::Option*>& options) {
    std::vector<size_t> used(options.size(), 0);
    std::vector<std::pair<const Flag*, std::string>> flags;
    for (const CLI::Option* parsed : app.parse_order()) {
        for (size_t i = 0; i < options.size(); ++i) {
            if (options[i] == parsed) {
                const Flag& flag = command.flags[i];
                flags.emplace_back(&flag, flag.value.empty() ? std::string() : parsed->results()[used[i]++]);
            }
        }
    }
    return flags;
}

}  // namespace

bool Arguments::has(std::string_view flag) const { return value(flag) != nullptr; }

const std::string* Arguments::value(std::string_view flag) const {
    const std::string* found = nullptr;
    for (const auto& [known, text] : flags) {
        if (known->name == flag) {
            found = &text;
        }
    }
    return found;
}

std::vector<std::string> Arguments::all(std::string_view flag) const {
    std::vector<std::string> found;
    for (const auto& [known, text] : flags) {
        if (known->name == flag) {
            found.push_back(text);
        }
    }
    return found;
}

Result<Arguments> parse_arguments(const Command& command, const std::vector<std::string>& words) {
    SBX_ASSIGN(Split split, split_words(command, words));
    Arguments arguments;
    arguments.words = std::move(split.words);
    auto help = std::find(split.flags.begin(), split.flags.end(), "--help");
    if (help != split.flags.end()) {
        arguments.help = true;
        return arguments;
    }
    if (!split.flags.empty()) {
        CLI::App app;
        std::vector<CLI::Option*> options;
        declare(app, command, options);
        std::reverse(split.flags.begin(), split.flags.end());
        try {
            app.parse(split.flags);
        } catch (const CLI::ParseError& error) {
            return usage(command, error.what());
        }
        arguments.flags = in_order(app, command, options);
    }
    for (const Flag& flag : command.flags) {
        if (!flag.repeatable && arguments.all(flag.name).size() > 1) {
            return usage(command, fmt::format("{} was given twice", flag.name));
        }
    }
    return arguments;
}

PolicyRequest policy_request(const Arguments& arguments) {
    PolicyRequest request;
    for (const auto& [flag, text] : arguments.flags) {
        if (flag->name == "--policy" || flag->name == "--profile") {
            request.named.push_back({flag->name == "--profile", text});
        } else if (!flag->key.empty()) {
            request.settings.push_back({std::string(flag->name), std::string(flag->key),
                                        flag->value.empty() ? std::string(flag->fixed) : text});
        }
    }
    request.bypass_anyway = arguments.has("--bypass-anyway");
    request.allow_tainted_network = arguments.has("--allow-tainted-network");
    return request;
}

Result<int> descriptor_number(std::string_view flag, const std::string& text) {
    int number = -1;
    const char* end = text.data() + text.size();
    auto [rest, status] = std::from_chars(text.data(), end, number);
    if (status != std::errc() || rest != end || number < 0) {
        return Error{"usage", fmt::format("{}: \"{}\" is not a descriptor number", flag, printable_line(text)), ""};
    }
    return number;
}

std::string help_text(const Command& command) {
    std::string out = fmt::format("Usage: sbx {} {}\n\n{}\n", command.name, command.arguments, command.summary);
    out[out.find("\n\n") + 2] = static_cast<char>(std::toupper(static_cast<unsigned char>(command.summary.front())));
    out.insert(out.size() - 1, ".");
    if (command.takes_command) {
        out += "Everything from the first word that is no flag belongs to the command; -- ends the flags.\n";
    }
    if (!command.flags.empty()) {
        out += "\nFlags:\n";
    }
    for (const Flag& flag : command.flags) {
        std::string left = fmt::format("{}{}{}", flag.name, flag.value.empty() ? "" : " ", flag.value);
        out += fmt::format("  {:<26} {}{}\n", left, flag.help, flag.repeatable ? " (repeatable)" : "");
    }
    if (command.takes_command) {
        out += "\nExit status: the command's own; 124 timeout, 125 sbx failed, 126 not executable, 127 not found.\n";
    }
    out += "\nMore: man sbx, man sbx.toml\n";
    return out;
}

std::string overview_text() {
    std::string out =
        "Usage: sbx COMMAND ...\n\n"
        "Run a command where it can touch only what you allow.\n\n"
        "  sbx run -- npm test          in the project of this folder, no network, no home\n\n"
        "Commands:\n";
    for (const Command& command : commands()) {
        out += fmt::format("  {:<12} {}\n", command.name, command.summary);
    }
    out += "\n  sbx COMMAND --help           the flags of a command\n  sbx --version\n";
    return out;
}

}  // namespace sbx::cli
