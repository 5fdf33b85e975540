// argv of one subcommand -> flags and words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/flags.h"
#include "policy/load.h"
#include "util/result.h"

namespace sbx::cli {

struct Arguments {
    std::vector<std::pair<const Flag*, std::string>> flags;  ///< in the order of the command line
    std::vector<std::string> words;                          ///< byte for byte; for `run` the command
    bool help = false;

    bool has(std::string_view flag) const;
    /// The last value; nullptr when the flag was not given.
    const std::string* value(std::string_view flag) const;
    std::vector<std::string> all(std::string_view flag) const;
};

/// `words`: what follows the subcommand's name. Where `command.takes_command`, flags end at `--` or at
/// the first word that does not start with `-`; everything from there on is somebody else's.
/// Error: "usage".
Result<Arguments> parse_arguments(const Command& command, const std::vector<std::string>& words);

/// The policy that the flags ask for.
PolicyRequest policy_request(const Arguments& arguments);

/// A descriptor number from a flag's value. Error: "usage".
Result<int> descriptor_number(std::string_view flag, const std::string& text);

std::string help_text(const Command& command);
std::string overview_text();

}  // namespace sbx::cli
