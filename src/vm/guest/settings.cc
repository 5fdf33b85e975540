#include "vm/guest/settings.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "vm/render/guest.h"

namespace sbx::guest {
namespace {

constexpr const char* kRefusing = "; refusing to start";

/// Adds `word` with everything that could drive a terminal replaced.
void add_cleaned(Message& message, const char* word, size_t length) {
    for (size_t i = 0; i < length; ++i) {
        char c = word[i];
        message.add(c > ' ' && c < 0x7f ? &word[i] : "?", 1);
    }
}

bool refuse(Message& problem, const char* what, const char* word, size_t length) {
    problem.clear();
    problem.add(what);
    add_cleaned(problem, word, length < 80 ? length : 80);
    problem.add(kRefusing);
    return false;
}

/// The next word of a list that is separated by commas and white space; 0 at its end.
size_t next_word(const char*& text) {
    text += strspn(text, ", \t");
    return strcspn(text, ", \t");
}

bool add_address(const char* word, size_t length, AddressList& list) {
    char copy[vm::kAddressText];
    if (length >= sizeof copy || list.count == kMaxAddresses) {
        return false;
    }
    memcpy(copy, word, length);
    copy[length] = 0;
    if (!vm::parse_address(copy, list.items[list.count])) {
        return false;
    }
    ++list.count;
    return true;
}

bool is_host_name(const char* word, size_t length) {
    if (length == 0 || length > 253 || word[0] == '-' || word[0] == '.') {
        return false;
    }
    for (size_t i = 0; i < length; ++i) {
        if (!isalnum(static_cast<unsigned char>(word[i])) && strchr("-._:", word[i]) == nullptr) {
            return false;
        }
    }
    return true;
}

bool read_port(const char* text, uint16_t& port) {
    char* end = nullptr;
    long number = strtol(text, &end, 10);
    if (!isdigit(static_cast<unsigned char>(text[0])) || *end != 0 || number < 1 || number > 65535) {
        return false;
    }
    port = static_cast<uint16_t>(number);
    return true;
}

/// One line of /proc/net/route, whose numbers are hexadecimal and in the machine's byte order.
struct Route {
    unsigned long destination, gateway, flags, metric, mask;
};

bool parse_route(const char* line, Route& route) {
    char interface[64];
    unsigned long reference = 0;
    unsigned long use = 0;
    return sscanf(line, "%63s %lx %lx %lx %lu %lu %lu %lx", interface, &route.destination, &route.gateway,
                  &route.flags, &reference, &use, &route.metric, &route.mask) == 8;
}

/// Calls `visit` with each route; stops when it returns true.
template <typename Visit>
bool any_route(const char* table, Visit visit) {
    while (*table != 0) {
        Route route{};
        if (parse_route(table, route) && visit(route)) {
            return true;
        }
        table += strcspn(table, "\n");
        table += *table == '\n' ? 1 : 0;
    }
    return false;
}

}  // namespace

bool read_settings(const Variables& variables, Settings& settings, Message& problem) {
    const char* profile = variables.profile;
    if (profile == nullptr || strcmp(profile, "web") == 0) {
        settings.profile = Profile::Web;
    } else if (strcmp(profile, "files") == 0) {
        settings.profile = Profile::Files;
    } else {
        return refuse(problem, "SANDBOX_PROFILE must be web or files, not ",
                      *profile == 0 ? "(empty)" : profile,
                      *profile == 0 ? strlen("(empty)") : strlen(profile));
    }
    settings.selftest = variables.selftest != nullptr && strcmp(variables.selftest, "1") == 0;
    const char* inbound = variables.inbound;
    if (inbound != nullptr && !read_port(inbound, settings.inbound_port)) {
        return refuse(problem, "unreadable inbound port ", inbound, strlen(inbound));
    }
    if (settings.profile == Profile::Files) {
        return true;
    }
    const char* at = variables.blocked == nullptr ? "" : variables.blocked;
    for (size_t length = next_word(at); length > 0; at += length, length = next_word(at)) {
        if (!add_address(at, length, settings.blocked)) {
            return refuse(problem, "unreadable blocked address ", at, length);
        }
    }
    at = variables.hosts == nullptr ? "" : variables.hosts;
    for (size_t length = next_word(at); length > 0; at += length, length = next_word(at)) {
        if (settings.host_count == kMaxHosts || !is_host_name(at, length)) {
            return refuse(problem, "unreadable allowed host ", at, length);
        }
        memcpy(settings.hosts[settings.host_count++], at, length);
    }
    // Asked for, yet none was named: opening everything instead would be the opposite.
    if (variables.hosts != nullptr && settings.host_count == 0) {
        return refuse(problem, "no allowed host in an empty list", "", 0);
    }
    return true;
}

bool read_nameservers(const char* resolv_conf, Settings& settings, Message& problem) {
    constexpr const char* kKey = "nameserver";
    for (const char* line = resolv_conf; *line != 0;) {
        size_t length = strcspn(line, "\n");
        const char* word = line + strspn(line, " \t");
        if (strncmp(word, kKey, strlen(kKey)) == 0 &&
            (word[strlen(kKey)] == ' ' || word[strlen(kKey)] == '\t')) {
            word += strlen(kKey);
            word += strspn(word, " \t");
            size_t size = strcspn(word, " \t\r\n#;");
            if (settings.nameservers.count == kMaxNameservers ||
                !add_address(word, size, settings.nameservers)) {
                return refuse(problem, "unreadable nameserver ", word, size);
            }
        }
        line += length;
        line += *line == '\n' ? 1 : 0;
    }
    return true;
}

bool read_gateway(const char* route_table, vm::Address& gateway) {
    constexpr unsigned long kUp = 1;
    constexpr unsigned long kGateway = 2;
    bool found = false;
    unsigned long best = 0;
    any_route(route_table, [&](const Route& route) {
        bool is_default = route.destination == 0 && route.mask == 0 && (route.flags & kUp) != 0 &&
                          (route.flags & kGateway) != 0;
        if (is_default && (!found || route.metric < best)) {
            found = true;
            best = route.metric;
            uint32_t raw = static_cast<uint32_t>(route.gateway);
            gateway = vm::Address{};
            memcpy(gateway.bytes, &raw, sizeof raw);
        }
        return false;
    });
    return found;
}

bool has_network(const char* route_table, const char* ipv6_addresses) {
    if (any_route(route_table, [](const Route&) { return true; })) {
        return true;
    }
    for (const char* line = ipv6_addresses; *line != 0;) {
        char interface[64];
        if (sscanf(line, "%*s %*s %*s %*s %*s %63s", interface) == 1 && strcmp(interface, "lo") != 0) {
            return true;
        }
        line += strcspn(line, "\n");
        line += *line == '\n' ? 1 : 0;
    }
    return false;
}

}  // namespace sbx::guest
