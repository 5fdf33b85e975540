#include "policy/values.h"

#include <charconv>
#include <limits>

#include "util/text.h"

namespace sbx {
namespace {

struct Unit {
    std::string_view name;
    int64_t factor;
};

constexpr Unit kDurations[] = {{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}};
constexpr Unit kSizes[] = {{"", 1},
                           {"B", 1},
                           {"K", int64_t{1} << 10},
                           {"KiB", int64_t{1} << 10},
                           {"M", int64_t{1} << 20},
                           {"MiB", int64_t{1} << 20},
                           {"G", int64_t{1} << 30},
                           {"GiB", int64_t{1} << 30},
                           {"T", int64_t{1} << 40},
                           {"TiB", int64_t{1} << 40}};

template <size_t N>
Result<int64_t> parse_quantity(std::string_view text, const Unit (&units)[N], const char* what, const char* examples) {
    Error error{"invalid_value", "\"" + printable_line(text) + "\" is not " + what, std::string("write ") + examples};
    int64_t count = 0;
    auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (status == std::errc::result_out_of_range) {
        error.message = "\"" + printable_line(text) + "\" is too large";
        return error;
    }
    if (status != std::errc() || text.front() == '-') {
        return error;
    }
    std::string_view unit = text.substr(static_cast<size_t>(rest - text.data()));
    for (const Unit& known : units) {
        if (unit != known.name) {
            continue;
        }
        if (count == 0) {
            error.message = "\"" + printable_line(text) + "\" is zero";
            error.hint = "leave the key out for no limit";
            return error;
        }
        if (count > std::numeric_limits<int64_t>::max() / known.factor) {
            error.message = "\"" + printable_line(text) + "\" is too large";
            return error;
        }
        return count * known.factor;
    }
    return error;
}

Error path_error(std::string message, std::string hint = "") {
    return {"invalid_path", std::move(message), std::move(hint)};
}

}  // namespace

Result<int64_t> parse_duration(std::string_view text) {
    return parse_quantity(text, kDurations, "a duration", "a number and a unit: 500ms, 90s, 10m, 2h, 1d");
}

Result<int64_t> parse_size(std::string_view text) {
    return parse_quantity(text, kSizes, "a size", "bytes or a number and a unit: 64K, 512M, 2G");
}

Result<void> check_path_text(std::string_view path) {
    if (path.empty()) {
        return Error{"empty", "the path is empty", "write \".\" for the current folder"};
    }
    std::string shown = printable_line(path.substr(0, 200));
    if (path.find('\0') != std::string_view::npos) {
        return path_error("Path contains null byte");
    }
    if (path.size() > kMaxPath) {
        return path_error("Path too long (>4096)");
    }
    for (const std::string& component : split(path, '/')) {
        if (component == "..") {
            return path_error("Path traversal detected: " + shown, "write the path without \"..\"");
        }
    }
    if (lower(path).find("%2e") != std::string::npos) {
        return path_error("Path traversal (encoded): " + shown, "write the path without \"%2e\"");
    }
    for (char c : path) {
        auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f) {
            return path_error("Path contains a control character: " + shown);
        }
    }
    if (path.front() == '~' && path.size() > 1 && path[1] != '/') {
        return path_error("another user's home cannot be named: " + shown,
                          "write ./" + shown + " when the name really starts with ~");
    }
    return {};
}

Result<void> check_variable_name(std::string_view name, bool glob) {
    // What stands behind the sign is the value: not to be shown (T90).
    std::string shown = printable_line(name.substr(0, name.find('=')));
    Error error{"invalid_value", "\"" + shown + "\" is not a name of a variable", ""};
    if (name.empty() || (name.front() >= '0' && name.front() <= '9')) {
        return error;
    }
    for (size_t i = 0; i < name.size(); ++i) {
        char c = name[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        bool star = glob && c == '*' && i > 0 && i + 1 == name.size();
        if (!plain && !star) {
            if (c == '=') {
                error.message = "\"" + shown + "\" is followed by \"=\": this takes names without values";
                error.hint = "values belong into [sandbox.env] set, or --set-env NAME=VALUE";
            } else if (c == '*') {
                error.hint = glob ? "a * may stand at the end, after a prefix: \"NPM_*\"" : "";
            }
            return error;
        }
    }
    return {};
}

}  // namespace sbx
