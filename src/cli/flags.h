// The one table of commands and their flags. Parsing, help, completions and the tests of the man page
// come from it.
#pragma once

#include <string_view>
#include <vector>

namespace sbx::cli {

struct Flag {
    std::string_view name;    ///< "--read"
    std::string_view value;   ///< what the help calls its value; "" for a switch
    std::string_view key;     ///< the schema's key that it stands for; "" when there is none
    std::string_view help;
    bool repeatable = false;
    std::string_view fixed = "";   ///< the value that a switch gives to `key`
    std::string_view values = "";  ///< "a|b": for completions, where no key tells them
};

struct Command {
    std::string_view name;
    std::string_view arguments;   ///< for the usage line
    std::string_view summary;     ///< one line
    std::vector<Flag> flags;
    bool takes_command = false;   ///< the first word that is no flag starts somebody else's command line
};

/// Every subcommand, in the order of the help.
const std::vector<Command>& commands();

/// nullptr when there is none.
const Command* find_command(std::string_view name);
const Flag* find_flag(const Command& command, std::string_view name);

}  // namespace sbx::cli
