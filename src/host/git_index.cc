#include "host/git_index.h"

#include <cstddef>
#include <optional>
#include <string>

namespace sbx {
namespace {

constexpr size_t kHeader = 12;
constexpr size_t kStatBytes = 40;       // times, device, inode, mode, owner, size
constexpr size_t kModeOffset = 24;
constexpr uint16_t kExtended = 0x4000;
constexpr uint16_t kNameMask = 0x0fff;
constexpr size_t kHashSizes[] = {20, 32};
constexpr size_t kLongestPath = 1 << 16;

uint32_t number(std::string_view bytes, size_t at, size_t size) {
    uint32_t value = 0;
    for (size_t i = 0; i < size; ++i) {
        value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    }
    return value;
}

class Reader {
  public:
    Reader(std::string_view bytes, size_t hash_size)
        : bytes_(bytes.substr(0, bytes.size() - hash_size)), hash_size_(hash_size), version_(number(bytes, 4, 4)) {}

    bool read(const std::function<void(const IndexEntry&)>* visit) {
        uint32_t count = number(bytes_, 8, 4);
        at_ = kHeader;
        for (uint32_t i = 0; i < count; ++i) {
            IndexEntry entry;
            if (!next(entry)) {
                return false;
            }
            if (visit != nullptr) {
                (*visit)(entry);
            }
        }
        return true;
    }

  private:
    bool next(IndexEntry& entry) {
        size_t start = at_;
        if (bytes_.size() - at_ < kStatBytes + hash_size_ + 2) {
            return false;
        }
        entry.mode = number(bytes_, at_ + kModeOffset, 4);
        entry.object = bytes_.substr(at_ + kStatBytes, hash_size_);
        uint16_t flags = static_cast<uint16_t>(number(bytes_, at_ + kStatBytes + hash_size_, 2));
        at_ += kStatBytes + hash_size_ + 2;
        if ((flags & kExtended) != 0) {
            if (version_ < 3 || bytes_.size() - at_ < 2) {
                return false;
            }
            at_ += 2;
        }
        bool named = version_ == 4 ? compressed_path() : plain_path(start);
        // The length in the flags also tells which of the two kinds of names this index holds.
        size_t length = flags & kNameMask;
        if (!named || (length < kNameMask ? path_.size() != length : path_.size() < kNameMask)) {
            return false;
        }
        entry.path = path_;
        return true;
    }

    /// Up to NUL, then more NULs until the entry's size is a multiple of eight.
    bool plain_path(size_t start) {
        size_t end = bytes_.find('\0', at_);
        if (end == std::string_view::npos || end - at_ > kLongestPath) {
            return false;
        }
        path_.assign(bytes_.substr(at_, end - at_));
        at_ = start + ((end - start) / 8 + 1) * 8;
        return at_ <= bytes_.size();
    }

    /// How much to cut off the path before, then what follows in its place, up to NUL.
    bool compressed_path() {
        std::optional<size_t> cut = variable_number();
        if (!cut || *cut > path_.size()) {
            return false;
        }
        size_t end = bytes_.find('\0', at_);
        if (end == std::string_view::npos || path_.size() - *cut + (end - at_) > kLongestPath) {
            return false;
        }
        path_.resize(path_.size() - *cut);
        path_.append(bytes_.substr(at_, end - at_));
        at_ = end + 1;
        return true;
    }

    std::optional<size_t> variable_number() {
        size_t value = 0;
        for (int bytes = 0; bytes < 4 && at_ < bytes_.size(); ++bytes) {
            unsigned char c = static_cast<unsigned char>(bytes_[at_++]);
            value = value << 7 | (c & 0x7f);
            if ((c & 0x80) == 0) {
                return value;
            }
            ++value;
        }
        return std::nullopt;
    }

    std::string_view bytes_;
    size_t hash_size_;
    uint32_t version_;
    size_t at_ = 0;
    std::string path_;
};

}  // namespace

bool read_git_index(std::string_view bytes, const std::function<void(const IndexEntry&)>& visit) {
    for (size_t hash_size : kHashSizes) {
        if (bytes.size() < kHeader + hash_size || bytes.substr(0, 4) != "DIRC") {
            return false;
        }
        uint32_t version = number(bytes, 4, 4);
        if (version < 2 || version > 4) {
            return false;
        }
        if (Reader(bytes, hash_size).read(nullptr)) {
            return Reader(bytes, hash_size).read(&visit);
        }
    }
    return false;
}

}  // namespace sbx
