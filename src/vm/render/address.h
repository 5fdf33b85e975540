// Internet addresses, and which of them are public. Plain C underneath: the guest's init, which has no
// C++ library, is built from the same file.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace sbx::vm {

struct Address {
    uint8_t bytes[16];  ///< network order; IPv4 uses the first four
    bool v6;
};

/// The longest text of an address, with its NUL.
constexpr size_t kAddressText = 46;

/// Reads one numeric address: no name, no scope, no port, no shortened IPv4. False when it is none.
bool parse_address(const char* text, Address& address);

/// Writes the usual text form, at most kAddressText bytes.
void format_address(const Address& address, char* text);

/// An IPv4 address inside IPv6 (::ffff:a.b.c.d) as that IPv4 address; others unchanged.
Address unmapped(const Address& address);

/// True when the web firewall would let a packet to `address` out: not private, local, shared,
/// documentation, benchmark or multicast, and no tunnel that could lead to one of those (T13, T52).
bool is_public(const Address& address);

/// One range that is never public. The firewall files list the same ranges; a test compares them.
struct Range {
    const char* text;
    uint8_t bytes[16];
    uint8_t prefix;
};

constexpr Range kRefused4[] = {
    {"0.0.0.0/8", {0}, 8},
    {"10.0.0.0/8", {10}, 8},
    {"100.64.0.0/10", {100, 64}, 10},
    {"127.0.0.0/8", {127}, 8},
    {"169.254.0.0/16", {169, 254}, 16},
    {"172.16.0.0/12", {172, 16}, 12},
    {"192.0.0.0/24", {192, 0, 0}, 24},
    {"192.0.2.0/24", {192, 0, 2}, 24},
    {"192.88.99.0/24", {192, 88, 99}, 24},
    {"192.168.0.0/16", {192, 168}, 16},
    {"198.18.0.0/15", {198, 18}, 15},
    {"198.51.100.0/24", {198, 51, 100}, 24},
    {"203.0.113.0/24", {203, 0, 113}, 24},
    {"224.0.0.0/3", {224}, 3},
};

/// Only 2000::/3 is ever public; these are the parts of it that are not.
constexpr Range kRefused6[] = {
    {"2001::/32", {0x20, 0x01}, 32},
    {"2001:db8::/32", {0x20, 0x01, 0x0d, 0xb8}, 32},
    {"2002::/16", {0x20, 0x02}, 16},
};

}  // namespace sbx::vm
