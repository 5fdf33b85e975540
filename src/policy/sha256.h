// SHA-256, for pinning trusted policies.
#pragma once

#include <string>
#include <string_view>

namespace sbx {

/// The digest of `bytes` as 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace sbx
