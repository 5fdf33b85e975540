// Does a firewall that nft lists say what its profile promises? The guest cannot be asked whether it is
// safe; this reads what its kernel has. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/policy.h"

namespace sbx::vm {

struct FirewallExpectation {
    VmProfile profile = VmProfile::Web;
    std::vector<std::string> nameservers;  ///< may be reached on port 53
    std::string gateway;                   ///< the only source of the published port
    std::optional<unsigned> inbound_port;
    bool hosts_only = false;  ///< allowHosts: single addresses on 443 and nothing else
};

/// What is wrong with `listing`, the output of `nft list table inet sbx`; "" when nothing is.
///
/// Whatever it does not know is wrong: an accept that it cannot place, a jump, a queue, a negation.
/// One extra accept of a single address and port before the refusals is tolerated.
std::string firewall_problem(std::string_view listing, const FirewallExpectation& expected);

}  // namespace sbx::vm
