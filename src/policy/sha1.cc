#include "policy/sha1.h"

#include <array>
#include <cstdint>
#include <cstdio>

namespace sbx {
namespace {

uint32_t rotate(uint32_t x, unsigned n) { return (x << n) | (x >> (32 - n)); }

// FIPS 180-4, sections 4.1.1 and 4.2.1.
void compress(std::array<uint32_t, 5>& state, std::string_view block) {
    uint32_t w[80];
    for (size_t i = 0; i < 16; ++i) {
        w[i] = 0;
        for (size_t j = 0; j < 4; ++j) {
            w[i] = w[i] << 8 | static_cast<unsigned char>(block[4 * i + j]);
        }
    }
    for (size_t i = 16; i < 80; ++i) {
        w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    for (size_t i = 0; i < 80; ++i) {
        uint32_t mixed = i < 20   ? ((b & c) | (~b & d)) + 0x5a827999
                         : i < 40 ? (b ^ c ^ d) + 0x6ed9eba1
                         : i < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
                                  : (b ^ c ^ d) + 0xca62c1d6;
        uint32_t next = rotate(a, 5) + mixed + e + w[i];
        e = d;
        d = c;
        c = rotate(b, 30);
        b = a;
        a = next;
    }
    state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d, state[4] + e};
}

}  // namespace

std::string sha1_hex(std::string_view bytes) {
    std::array<uint32_t, 5> state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    std::string padded(bytes);
    padded += '\x80';
    padded.append((120 - padded.size() % 64) % 64, '\0');
    uint64_t bits = static_cast<uint64_t>(bytes.size()) * 8;
    for (unsigned shift = 64; shift > 0; shift -= 8) {
        padded += static_cast<char>(bits >> (shift - 8));
    }
    for (size_t at = 0; at < padded.size(); at += 64) {
        compress(state, std::string_view(padded).substr(at, 64));
    }
    std::string hex;
    for (uint32_t word : state) {
        char text[9];
        std::snprintf(text, sizeof text, "%08x", word);
        hex += text;
    }
    return hex;
}

}  // namespace sbx
