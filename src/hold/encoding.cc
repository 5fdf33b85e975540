#include "hold/encoding.h"

#include <cstring>

namespace sbx::hold {
namespace {

constexpr std::string_view kMagic = "SBXHOLD2";

template <typename T>
void append(std::string& out, T value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <typename T>
bool take(std::string_view& bytes, T& value) {
    if (bytes.size() < sizeof value) {
        return false;
    }
    std::memcpy(&value, bytes.data(), sizeof value);
    bytes.remove_prefix(sizeof value);
    return true;
}

}  // namespace

std::string encode_number(uint64_t number) {
    std::string out;
    append(out, number);
    return out;
}

bool decode_number(std::string_view& bytes, uint64_t& number) {
    return take(bytes, number);
}

std::string encode_text(std::string_view text) {
    std::string out;
    append(out, uint64_t{text.size()});
    out += text;
    return out;
}

bool decode_text(std::string_view& bytes, std::string& text) {
    uint64_t size = 0;
    if (!take(bytes, size) || size > bytes.size()) {
        return false;
    }
    text = bytes.substr(0, size);
    bytes.remove_prefix(size);
    return true;
}

std::string encode(const Snapshot& snapshot) {
    std::string out(kMagic);
    append(out, uint64_t{snapshot.size()});
    for (const auto& [path, item] : snapshot) {
        out += encode_text(path);
        append(out, static_cast<uint8_t>(item.kind));
        append(out, static_cast<uint8_t>(item.role));
        append(out, item.mode);
        append(out, item.modified_ns);
        append(out, item.changed_ns);
        append(out, item.inode);
        append(out, static_cast<uint8_t>(item.whole));
        out += encode_text(item.content);
    }
    return out;
}

bool decode(std::string_view& bytes, Snapshot& snapshot) {
    uint64_t count = 0;
    if (bytes.substr(0, kMagic.size()) != kMagic) {
        return false;
    }
    bytes.remove_prefix(kMagic.size());
    if (!take(bytes, count)) {
        return false;
    }
    for (uint64_t i = 0; i < count; ++i) {
        std::string path;
        Item item;
        uint8_t kind = 0;
        uint8_t role = 0;
        uint8_t whole = 0;
        if (!decode_text(bytes, path) || !take(bytes, kind) || !take(bytes, role) ||
            !take(bytes, item.mode) || !take(bytes, item.modified_ns) || !take(bytes, item.changed_ns) ||
            !take(bytes, item.inode) || !take(bytes, whole) || !decode_text(bytes, item.content)) {
            return false;
        }
        item.whole = whole != 0;
        item.kind = static_cast<Item::Kind>(kind);
        item.role = static_cast<Role>(role);
        snapshot.emplace(std::move(path), std::move(item));
    }
    return true;
}

}  // namespace sbx::hold
