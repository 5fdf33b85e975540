// Where a value was written.
#pragma once

#include <cstdint>
#include <string>

namespace sbx {

/// Every value of a policy knows where it came from, and every message says it.
struct Origin {
    enum class Kind { BuiltIn, Profile, File, Flag, Environment };

    Kind kind = Kind::BuiltIn;
    std::string name;     ///< file path as shown, flag with dashes, profile or variable name
    uint32_t line = 0;    ///< 1-based; 0 when it has none
    uint32_t column = 0;  ///< 1-based, in bytes; 0 when it has none

    /// "sbx.toml:12:5", "--write", "profile agent", "profile agent:3:1", "SBX_TAINTED", "built-in".
    std::string text() const;

    static Origin built_in() { return {}; }
    static Origin flag(std::string name) { return {Kind::Flag, std::move(name), 0, 0}; }
};

/// A value and where it was written.
template <typename T>
struct Setting {
    T value{};
    Origin origin{};

    const T& operator*() const { return value; }
    bool is_built_in() const { return origin.kind == Origin::Kind::BuiltIn; }
};

}  // namespace sbx
