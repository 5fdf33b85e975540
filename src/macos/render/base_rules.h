// The part of every profile that no policy changes: what a program needs to start at all, each with its
// reason. Pure text.
#pragma once

#include <string_view>
#include <vector>

namespace sbx {

struct BaseRule {
    std::string_view reason;
    std::string_view rules;   ///< one or more lines of SBPL
};

/// Operations that ignore (deny default) because they have a default of their own.
const std::vector<BaseRule>& named_denials();

/// Processes, system values, names of services, devices.
const std::vector<BaseRule>& base_rules();

/// What only a run with the network needs.
const std::vector<BaseRule>& network_rules();

}  // namespace sbx
