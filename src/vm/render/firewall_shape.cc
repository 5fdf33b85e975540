#include "vm/render/firewall_shape.h"

#include <algorithm>
#include <map>
#include <set>

#include "util/text.h"
#include "vm/render/address.h"
#include "vm/render/guest.h"

namespace sbx::vm {
namespace {

struct Chain {
    std::string head;  ///< "type filter hook output priority filter; policy drop;"
    std::vector<std::string> rules;
};

std::string trimmed(std::string_view text) {
    size_t start = text.find_first_not_of(" \t");
    size_t end = text.find_last_not_of(" \t");
    return start == std::string_view::npos ? "" : std::string(text.substr(start, end - start + 1));
}

bool starts(std::string_view text, std::string_view prefix) {
    return text.substr(0, prefix.size()) == prefix;
}

bool ends(std::string_view text, std::string_view suffix) {
    return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

std::map<std::string, Chain> parse_chains(std::string_view listing) {
    std::map<std::string, Chain> chains;
    Chain* current = nullptr;
    for (const auto& raw : split(listing, '\n')) {
        std::string line = trimmed(raw);
        if (starts(line, "chain ") && ends(line, " {")) {
            current = &chains[line.substr(6, line.size() - 8)];
        } else if (line == "}") {
            current = nullptr;
        } else if (current != nullptr && starts(line, "type ")) {
            current->head = line;
        } else if (current != nullptr && !line.empty()) {
            current->rules.push_back(line);
        }
    }
    return chains;
}

bool is_loopback(const std::string& rule, const char* direction) {
    return rule == std::string(direction) + " \"lo\" accept" ||
           rule == std::string(direction) + "name \"lo\" accept";
}

bool is_replies(const std::string& rule) {
    return rule == "ct state established,related accept" || rule == "ct state related,established accept";
}

/// Neighbour discovery, which never crosses a router: hop limit 255.
bool is_neighbours(const std::string& rule) {
    return starts(rule, "icmpv6 type { nd-") && !contains(rule, "echo") &&
           ends(rule, " ip6 hoplimit 255 accept");
}

/// "ip daddr ADDRESS tcp dport PORT accept" with one address and one port.
struct SingleAccept {
    std::string address;
    std::string protocol;
    std::string port;
};

std::optional<SingleAccept> parse_single(const std::string& rule, const char* direction) {
    auto words = split(rule, ' ');
    bool form = words.size() == 7 && (words[0] == "ip" || words[0] == "ip6") && words[1] == direction &&
                (words[3] == "tcp" || words[3] == "udp") && words[4] == "dport" && words[6] == "accept";
    Address address{};
    if (!form || !parse_address(words[2].c_str(), address) || address.v6 != (words[0] == "ip6")) {
        return std::nullopt;
    }
    std::string port = words[5] == "domain" ? "53" : words[5] == "https" ? "443" : words[5];
    if (port.find_first_not_of("0123456789") != std::string::npos) {
        return std::nullopt;
    }
    return SingleAccept{words[2], words[3], port};
}

/// The elements of "ip daddr { A, B } reject ...", or of one with a single element; empty when it is none.
std::set<std::string> refused_ranges(const std::string& rule, const char* family) {
    std::string start = std::string(family) + " daddr ";
    size_t verdict = rule.find(" reject");
    if (!starts(rule, start) || verdict == std::string::npos || verdict < start.size()) {
        return {};
    }
    std::string set = rule.substr(start.size(), verdict - start.size());
    if (set.find(' ') == std::string::npos) {
        return {set};
    }
    if (!starts(set, "{ ") || !ends(set, " }")) {
        return {};
    }
    std::set<std::string> ranges;
    for (const auto& element : split(set.substr(2, set.size() - 4), ',')) {
        ranges.insert(trimmed(element));
    }
    return ranges;
}

template <size_t Count>
bool lists_all(const std::set<std::string>& ranges, const Range (&required)[Count]) {
    return std::all_of(std::begin(required), std::end(required),
                       [&](const Range& range) { return ranges.count(range.text) != 0; });
}

bool is_reject(const std::string& rule) {
    return starts(rule, "reject") || contains(rule, " reject");
}

std::string unknown(const std::string& rule) {
    return "a rule that does not belong there: " + printable_line(rule);
}

class OutputCheck {
  public:
    explicit OutputCheck(const FirewallExpectation& expected) : expected_(expected) {}

    std::string run(const std::vector<std::string>& rules) {
        for (const auto& rule : rules) {
            std::string problem = check(rule);
            if (!problem.empty()) {
                return problem;
            }
        }
        if (expected_.profile == VmProfile::Files) {
            return "";
        }
        return !refused4_   ? "the private IPv4 ranges are not refused"
               : !refused6_ ? "the tunnel and documentation ranges of IPv6 are not refused"
                            : "";
    }

  private:
    std::string check(const std::string& rule) {
        if (contains(rule, "!=") || contains(rule, "jump ") || contains(rule, "goto ") ||
            contains(rule, "queue")) {
            return unknown(rule);
        }
        if (is_loopback(rule, "oif") || is_replies(rule)) {
            return "";
        }
        if (expected_.profile == VmProfile::Files) {
            return is_reject(rule) && !contains(rule, "accept") ? "" : unknown(rule);
        }
        if (is_neighbours(rule)) {
            return "";
        }
        if (is_reject(rule) && !contains(rule, "accept")) {
            refused4_ = refused4_ || lists_all(refused_ranges(rule, "ip"), kRefused4);
            refused6_ = refused6_ || lists_all(refused_ranges(rule, "ip6"), kRefused6);
            return "";
        }
        return check_accept(rule);
    }

    std::string check_accept(const std::string& rule) {
        bool refused = refused4_ && refused6_;
        if (auto single = parse_single(rule, "daddr")) {
            bool server = std::find(expected_.nameservers.begin(), expected_.nameservers.end(),
                                    single->address) != expected_.nameservers.end();
            if (server) {
                return single->port == "53" ? "" : unknown(rule);
            }
            if (refused) {
                bool https = single->protocol == "tcp" && single->port == std::to_string(kHttpsPort);
                return expected_.hosts_only && https ? "" : unknown(rule);
            }
            extra_.insert(single->address);
            return extra_.size() < 2 ? "" : unknown(rule);
        }
        bool everything = rule == "meta nfproto ipv4 accept" || rule == "ip6 daddr 2000::/3 accept";
        return everything && refused && !expected_.hosts_only ? "" : unknown(rule);
    }

    const FirewallExpectation& expected_;
    std::set<std::string> extra_;
    bool refused4_ = false;
    bool refused6_ = false;
};

std::string check_input(const std::vector<std::string>& rules, const FirewallExpectation& expected) {
    bool inbound = false;
    for (const auto& rule : rules) {
        if (is_loopback(rule, "iif") || is_replies(rule) || is_neighbours(rule)) {
            continue;
        }
        auto single = parse_single(rule, "saddr");
        bool published = single && expected.inbound_port && single->address == expected.gateway &&
                         single->protocol == "tcp" && single->port == std::to_string(*expected.inbound_port);
        if (!published) {
            return unknown(rule);
        }
        inbound = true;
    }
    return expected.inbound_port && !inbound ? "the published port is closed" : "";
}

}  // namespace

std::string firewall_problem(std::string_view listing, const FirewallExpectation& expected) {
    if (!contains(listing, "table inet sbx {")) {
        return "there is no table inet sbx";
    }
    auto chains = parse_chains(listing);
    if (chains.size() != 3) {
        return "there are not exactly the chains input, forward and output";
    }
    for (const char* name : {"input", "forward", "output"}) {
        const std::string& head = chains[name].head;
        if (!starts(head, std::string("type filter hook ") + name + " ") || !ends(head, "policy drop;")) {
            return std::string("chain ") + name + " does not drop by default";
        }
    }
    if (!chains["forward"].rules.empty()) {
        return unknown(chains["forward"].rules.front());
    }
    std::string problem = check_input(chains["input"].rules, expected);
    return problem.empty() ? OutputCheck(expected).run(chains["output"].rules) : problem;
}

}  // namespace sbx::vm
