#include "vm/render/address.h"

#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>

namespace sbx::vm {
namespace {

bool within(const uint8_t* address, const Range& range) {
    unsigned whole = range.prefix / 8U;
    if (memcmp(address, range.bytes, whole) != 0) {
        return false;
    }
    unsigned rest = range.prefix % 8U;
    return rest == 0 || (address[whole] ^ range.bytes[whole]) >> (8 - rest) == 0;
}

}  // namespace

bool parse_address(const char* text, Address& address) {
    memset(&address, 0, sizeof address);
    if (inet_pton(AF_INET, text, address.bytes) == 1) {
        return true;
    }
    address.v6 = true;
    return inet_pton(AF_INET6, text, address.bytes) == 1;
}

void format_address(const Address& address, char* text) {
    if (inet_ntop(address.v6 ? AF_INET6 : AF_INET, address.bytes, text, kAddressText) == nullptr) {
        text[0] = 0;
    }
}

Address unmapped(const Address& address) {
    static constexpr uint8_t kMapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    if (!address.v6 || memcmp(address.bytes, kMapped, sizeof kMapped) != 0) {
        return address;
    }
    Address inner{};
    memcpy(inner.bytes, address.bytes + sizeof kMapped, 4);
    return inner;
}

bool is_public(const Address& address) {
    Address plain = unmapped(address);
    if (!plain.v6) {
        for (const Range& range : kRefused4) {
            if (within(plain.bytes, range)) {
                return false;
            }
        }
        return true;
    }
    if ((plain.bytes[0] & 0xe0) != 0x20) {
        return false;
    }
    for (const Range& range : kRefused6) {
        if (within(plain.bytes, range)) {
            return false;
        }
    }
    return true;
}

}  // namespace sbx::vm
