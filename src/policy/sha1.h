// SHA-1, for the names of git's objects only.
#pragma once

#include <string>
#include <string_view>

namespace sbx {

/// The digest of `bytes` as 40 lower-case hexadecimal digits.
std::string sha1_hex(std::string_view bytes);

}  // namespace sbx
