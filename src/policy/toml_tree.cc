#include "policy/toml_tree.h"

#include <algorithm>

namespace sbx {
namespace {

/// toml++ 3.3 takes for granted what a file need not give it: `[$]` fails an internal assertion, which
/// a release build would turn into an assumption, that is, undefined behaviour. Here it is an error.
struct BrokenAssumption {};

}  // namespace
}  // namespace sbx

#undef NDEBUG  // else toml++ drops its assertions
#define TOML_ASSERT(expression)            \
    do {                                   \
        if (!(expression)) {               \
            throw sbx::BrokenAssumption(); \
        }                                  \
    } while (false)
#define TOML_EXCEPTIONS 1
#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_WINDOWS_COMPAT 0
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wterminate"  // in noexcept members, where ending is all that is left
#endif
#include <toml++/impl/forward_declarations.h>
// Its table of blank characters calls most letters beyond ASCII unreachable: undefined behaviour at the
// first key with an accent. None of them is blank.
#undef TOML_UNREACHABLE
#define TOML_UNREACHABLE return false
#include <toml++/impl/unicode.h>
#undef TOML_UNREACHABLE
#define TOML_UNREACHABLE throw sbx::BrokenAssumption()
#include <toml++/toml.h>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

namespace sbx {
namespace {

/// Turns toml++'s columns (code points) into bytes, as editors and compilers count them.
class Columns {
  public:
    explicit Columns(std::string_view text) : text_(text) {
        starts_.push_back(0);
        for (size_t i = 0; i < text.size(); ++i) {
            if (text[i] == '\n') {
                starts_.push_back(i + 1);
            }
        }
    }

    uint32_t bytes(uint32_t line, uint32_t column) const {
        if (line == 0 || line > starts_.size()) {
            return column;
        }
        size_t start = starts_[line - 1];
        size_t at = start;
        for (uint32_t passed = 1; passed < column && at < text_.size() && text_[at] != '\n'; ++passed) {
            ++at;
            while (at < text_.size() && (static_cast<unsigned char>(text_[at]) & 0xc0) == 0x80) {
                ++at;
            }
        }
        return static_cast<uint32_t>(at - start + 1);
    }

  private:
    std::string_view text_;
    std::vector<size_t> starts_;
};

/// The first line that starts a table whose name does not start like one.
Origin bad_header(std::string_view text, const Origin& source) {
    Origin origin = source;
    origin.line = origin.column = 1;
    uint32_t number = 0;
    while (!text.empty()) {
        std::string_view line = text.substr(0, text.find('\n'));
        ++number;
        size_t bracket = line.find_first_not_of(" \t");
        size_t name = line.find_first_not_of("[ \t", bracket);
        if (bracket != std::string_view::npos && line[bracket] == '[' && name != std::string_view::npos) {
            char c = line[name];
            bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                        c == '_' || c == '"' || c == '\'' || c == ']';
            if (!good) {
                origin.line = number;
                origin.column = static_cast<uint32_t>(name + 1);
                return origin;
            }
        }
        text.remove_prefix(std::min(text.size(), line.size() + 1));
    }
    return origin;
}

TomlValue convert(const toml::node& node, const Columns& columns);

TomlValue convert_table(const toml::table& table, const Columns& columns) {
    TomlValue value;
    value.kind = TomlValue::Kind::Table;
    for (const auto& [key, child] : table) {
        TomlEntry entry;
        entry.key = std::string(key.str());
        entry.line = key.source().begin.line;
        entry.column = columns.bytes(entry.line, key.source().begin.column);
        entry.value = convert(child, columns);
        value.entries.push_back(std::move(entry));
    }
    // toml++ sorts by name; messages read better in the order of the file.
    std::stable_sort(value.entries.begin(), value.entries.end(), [](const TomlEntry& a, const TomlEntry& b) {
        return a.line != b.line ? a.line < b.line : a.column < b.column;
    });
    return value;
}

TomlValue convert(const toml::node& node, const Columns& columns) {
    TomlValue value;
    if (const auto* table = node.as_table()) {
        value = convert_table(*table, columns);
    } else if (const auto* array = node.as_array()) {
        value.kind = TomlValue::Kind::Array;
        for (const auto& item : *array) {
            value.items.push_back(convert(item, columns));
        }
    } else if (const auto* text = node.as_string()) {
        value.text = text->get();
    } else if (const auto* integer = node.as_integer()) {
        value.kind = TomlValue::Kind::Integer;
        value.integer = integer->get();
    } else if (const auto* number = node.as_floating_point()) {
        value.kind = TomlValue::Kind::Float;
        value.number = number->get();
    } else if (const auto* boolean = node.as_boolean()) {
        value.kind = TomlValue::Kind::Boolean;
        value.boolean = boolean->get();
    } else {
        value.kind = TomlValue::Kind::DateTime;
    }
    value.line = node.source().begin.line;
    value.column = columns.bytes(value.line, node.source().begin.column);
    return value;
}

}  // namespace

TomlValue TomlValue::string(std::string text) {
    TomlValue value;
    value.text = std::move(text);
    return value;
}

TomlValue TomlValue::of_integer(int64_t integer) {
    TomlValue value;
    value.kind = Kind::Integer;
    value.integer = integer;
    return value;
}

TomlValue TomlValue::of_boolean(bool boolean) {
    TomlValue value;
    value.kind = Kind::Boolean;
    value.boolean = boolean;
    return value;
}

TomlValue TomlValue::list(TomlValue item) {
    TomlValue value;
    value.kind = Kind::Array;
    value.items.push_back(std::move(item));
    return value;
}

std::string_view kind_name(TomlValue::Kind kind) {
    switch (kind) {
        case TomlValue::Kind::String: return "a string";
        case TomlValue::Kind::Integer: return "an integer";
        case TomlValue::Kind::Float: return "a float";
        case TomlValue::Kind::Boolean: return "a boolean";
        case TomlValue::Kind::DateTime: return "a date or time";
        case TomlValue::Kind::Array: return "an array";
        case TomlValue::Kind::Table: return "a table";
    }
    return "a value";
}

bool parse_toml(std::string_view text, const Origin& source, TomlValue& root, Diagnostics& diagnostics) {
    Columns columns(text);
    try {
        root = convert_table(toml::parse(text), columns);
        return true;
    } catch (const toml::parse_error& error) {
        Origin origin = source;
        origin.line = error.source().begin.line;
        origin.column = columns.bytes(origin.line, error.source().begin.column);
        std::string message(error.description());
        bool bare_word = message.find("could not determine value type") != std::string::npos;
        diagnostics.push_back({"syntax", origin, message, bare_word ? "text stands in quotes: \"...\"" : "", ""});
    } catch (const BrokenAssumption&) {
        diagnostics.push_back({"syntax", bad_header(text, source), "this is not a name of a table",
                               "names have letters, digits, - and _; others stand in quotes", ""});
    }
    return false;
}

}  // namespace sbx
