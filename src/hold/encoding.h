// Snapshots as bytes, for the baseline that overlapping runs share and for what is held. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hold/snapshot.h"

namespace sbx::hold {

std::string encode(const Snapshot& snapshot);

/// Takes one encoded snapshot off the front of `bytes`. False when there is none: cut off or not ours.
bool decode(std::string_view& bytes, Snapshot& snapshot);

std::string encode_number(uint64_t number);
bool decode_number(std::string_view& bytes, uint64_t& number);

std::string encode_text(std::string_view text);
bool decode_text(std::string_view& bytes, std::string& text);

}  // namespace sbx::hold
