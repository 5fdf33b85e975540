// Texts of a policy as numbers, and the rules that every path text must follow. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "util/result.h"

namespace sbx {

/// "500ms", "90s", "10m", "2h", "1d" as milliseconds, at least 1.
Result<int64_t> parse_duration(std::string_view text);

/// "4096", "64K", "512M", "2G", "1T" (powers of 1024; "KiB", "MiB", ... too) as bytes, at least 1.
Result<int64_t> parse_size(std::string_view text);

/// Tatu's and TUFF's rules for a path as it is written, before anything is resolved: not empty, no
/// NUL, at most 4096 bytes, no `..` component, no `%2e`, no control character, `~` only as `~` or
/// `~/…`. Codes: "empty", "invalid_path".
Result<void> check_path_text(std::string_view path);

/// A name of an environment variable, or with `glob` also `PREFIX_*`.
Result<void> check_variable_name(std::string_view name, bool glob);

/// Port 4040 belongs to the Fusion dashboard; sandboxes leave it alone (F20).
constexpr uint16_t kReservedPort = 4040;
constexpr std::string_view kReservedPortMessage =
    "Port 4040 is reserved and cannot be allowed in sandbox policy.";

constexpr size_t kMaxPath = 4096;

}  // namespace sbx
