// TOML text as a plain tree. toml++ is used in toml_tree.cc only: it is slow to compile, and the rest
// of the loader treats flags and files alike.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "policy/diagnostic.h"

namespace sbx {

struct TomlEntry;

struct TomlValue {
    enum class Kind { String, Integer, Float, Boolean, DateTime, Array, Table };

    Kind kind = Kind::String;
    uint32_t line = 0;    ///< 1-based; 0 for a value that a flag gave
    uint32_t column = 0;  ///< 1-based, in bytes
    std::string text;
    int64_t integer = 0;
    double number = 0;
    bool boolean = false;
    std::vector<TomlValue> items;
    std::vector<TomlEntry> entries;  ///< in the order of the file

    static TomlValue string(std::string text);
    static TomlValue of_integer(int64_t integer);
    static TomlValue of_boolean(bool boolean);
    static TomlValue list(TomlValue item);
};

struct TomlEntry {
    std::string key;
    uint32_t line = 0;
    uint32_t column = 0;
    TomlValue value;
};

/// "a string", "an integer", ... for messages.
std::string_view kind_name(TomlValue::Kind kind);

/// Parses `text` (strict UTF-8, at most 64 KiB, without a byte order mark). On a syntax error one
/// Diagnostic with `source` as its origin's kind and name is added and false is returned.
bool parse_toml(std::string_view text, const Origin& source, TomlValue& root, Diagnostics& diagnostics);

}  // namespace sbx
