// What the host asks of the guest: read from the environment, checked again here.
#pragma once

#include <stdint.h>

#include "vm/guest/text.h"
#include "vm/render/address.h"

namespace sbx::guest {

enum class Profile { Web, Files };

constexpr int kMaxAddresses = 256;
constexpr int kMaxHosts = 64;
constexpr int kMaxNameservers = 8;

struct AddressList {
    vm::Address items[kMaxAddresses];
    int count = 0;
};

struct Settings {
    Profile profile = Profile::Web;
    AddressList blocked;              ///< further refused addresses; empty in the files profile
    AddressList nameservers;          ///< of resolv.conf; empty in the files profile
    char hosts[kMaxHosts][254] = {};  ///< the only hosts that may be reached; none: any public one
    int host_count = 0;
    uint16_t inbound_port = 0;  ///< 0: no port is published
    bool selftest = false;
};

/// The values of the variables in vm/render/guest.h, nullptr for one that is not set.
struct Variables {
    const char* profile = nullptr;
    const char* blocked = nullptr;
    const char* inbound = nullptr;
    const char* hosts = nullptr;
    const char* selftest = nullptr;
};

/// Fills `settings`. False with the reason in `problem`; then nothing may be started. An unset profile
/// means web, an empty or unknown one is an error (T55, T56). blocked is ignored with files (T59).
bool read_settings(const Variables& variables, Settings& settings, Message& problem);

/// Adds the `nameserver` lines of a resolv.conf. False, with the reason, at one that cannot be read:
/// a name server that the firewall does not know would be a guess about what may pass.
bool read_nameservers(const char* resolv_conf, Settings& settings, Message& problem);

/// The IPv4 default gateway out of the text of /proc/net/route: of several the one with the lowest
/// metric. False when there is none.
bool read_gateway(const char* route_table, vm::Address& gateway);

/// True when the guest has a network: a route in the text of /proc/net/route, or in that of
/// /proc/net/if_inet6 an address on an interface other than lo.
bool has_network(const char* route_table, const char* ipv6_addresses);

}  // namespace sbx::guest
