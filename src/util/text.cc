#include "util/text.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace sbx {
namespace {

/// Length of the valid UTF-8 sequence at the start of `text`, 0 when there is none.
size_t utf8_length(std::string_view text, uint32_t& code_point) {
    auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
    if (text.empty()) {
        return 0;
    }
    unsigned char first = byte(0);
    if (first < 0x80) {
        code_point = first;
        return 1;
    }
    size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < length) {
        return 0;
    }
    code_point = first & (0xffU >> (length + 1));
    for (size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80) {
            return 0;
        }
        code_point = code_point << 6 | (byte(i) & 0x3fU);
    }
    const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    bool surrogate = code_point >= 0xd800 && code_point <= 0xdfff;
    if (code_point < smallest[length] || code_point > 0x10ffff || surrogate) {
        return 0;
    }
    return length;
}

void append_hex(std::string& out, std::string_view bytes) {
    for (char c : bytes) {
        char hex[5];
        std::snprintf(hex, sizeof hex, "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
        out += hex;
    }
}

/// `word` as one shell word without control characters.
std::string shown_word(std::string_view word) {
    if (printable_line(word) == word) {
        return shell_quote(word);
    }
    std::string out = "$'";
    for (char c : word) {
        auto byte = static_cast<unsigned char>(c);
        if (c == '\n') {
            out += "\\n";
        } else if (byte < 0x20 || byte >= 0x7f) {
            append_hex(out, std::string_view(&c, 1));
        } else {
            out += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
        }
    }
    return out + "'";
}

}  // namespace

std::string shell_quote(std::string_view word) {
    auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("_-+=./:,@%^").find(c) != std::string_view::npos;
    };
    bool quote = word.empty();
    for (char c : word) {
        quote = quote || !plain(c);
    }
    if (!quote) {
        return std::string(word);
    }
    std::string out = "'";
    for (char c : word) {
        if (c == '\'') {
            out += "'\\''";
        } else {
            out += c;
        }
    }
    return out + "'";
}

std::string shell_join(const std::vector<std::string>& words) {
    std::string out;
    for (const auto& word : words) {
        if (!out.empty()) {
            out += ' ';
        }
        out += shown_word(word);
    }
    return out;
}

std::string printable(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        uint32_t code_point = 0;
        size_t length = utf8_length(text, code_point);
        if (length == 0) {
            append_hex(out, text.substr(0, 1));
            text.remove_prefix(1);
            continue;
        }
        std::string_view bytes = text.substr(0, length);
        bool bidi = (code_point >= 0x202a && code_point <= 0x202e) ||
                    (code_point >= 0x2066 && code_point <= 0x2069);
        if (code_point == '\r' || code_point == '\v' || code_point == '\f' || code_point == 0x85) {
            out += ' ';
        } else if ((code_point < 0x20 && code_point != '\t' && code_point != '\n') ||
                   (code_point >= 0x7f && code_point < 0xa0) || bidi) {
            append_hex(out, bytes);
        } else {
            out += bytes;
        }
        text.remove_prefix(length);
    }
    return out;
}

std::string printable_line(std::string_view text) {
    std::string out = printable(text);
    for (char& c : out) {
        if (c == '\n') {
            c = ' ';
        }
    }
    return out;
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        uint32_t code_point = 0;
        size_t length = utf8_length(text, code_point);
        if (length == 0) {
            return false;
        }
        text.remove_prefix(length);
    }
    return true;
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    for (;;) {
        size_t at = text.find(separator);
        parts.emplace_back(text.substr(0, at));
        if (at == std::string_view::npos) {
            return parts;
        }
        text.remove_prefix(at + 1);
    }
}

std::vector<std::string> path_components(std::string_view path) {
    std::vector<std::string> components;
    for (auto& part : split(path, '/')) {
        if (!part.empty() && part != ".") {
            components.push_back(std::move(part));
        }
    }
    return components;
}

bool path_within(std::string_view path, std::string_view directory) {
    if (directory == "/") {
        return !path.empty() && path.front() == '/';
    }
    return path.substr(0, directory.size()) == directory &&
           (path.size() == directory.size() || path[directory.size()] == '/');
}

std::string path_join(std::string_view directory, std::string_view name) {
    std::string out(directory);
    if (out.empty() || out.back() != '/') {
        out += '/';
    }
    while (!name.empty() && name.front() == '/') {
        name.remove_prefix(1);
    }
    out += name;
    return out;
}

std::string path_parent(std::string_view path) {
    size_t slash = path.rfind('/');
    if (slash == std::string_view::npos || slash == 0) {
        return "/";
    }
    return std::string(path.substr(0, slash));
}

std::string path_name(std::string_view path) {
    size_t slash = path.rfind('/');
    return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

std::string path_normalise(std::string_view path) {
    bool absolute = !path.empty() && path.front() == '/';
    std::vector<std::string> kept;
    for (auto& component : path_components(path)) {
        if (component == ".." && !kept.empty() && kept.back() != "..") {
            kept.pop_back();
        } else if (component != ".." || !absolute) {
            kept.push_back(std::move(component));
        }
    }
    std::string out;
    for (const auto& component : kept) {
        if (absolute || !out.empty()) {
            out += '/';
        }
        out += component;
    }
    if (out.empty()) {
        return absolute ? "/" : ".";
    }
    return out;
}

size_t path_depth(std::string_view path) {
    size_t depth = 0;  // counted without making the list: thousands of masks are sorted by it
    for (size_t at = 0; at < path.size();) {
        size_t end = std::min(path.find('/', at), path.size());
        std::string_view component = path.substr(at, end - at);
        depth += component.empty() || component == "." ? 0 : 1;
        at = end + 1;
    }
    return depth;
}

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) {
        if (c >= 'A' && c <= 'Z') {
            c = static_cast<char>(c - 'A' + 'a');
        }
    }
    return out;
}

std::string json_quote(std::string_view text) {
    std::string out = "\"";
    while (!text.empty()) {
        uint32_t code_point = 0;
        size_t length = utf8_length(text, code_point);
        if (length == 0) {
            out += "\xef\xbf\xbd";
            text.remove_prefix(1);
            continue;
        }
        if (code_point == '"' || code_point == '\\') {
            out += '\\';
            out += static_cast<char>(code_point);
        } else if (code_point < 0x20 || code_point == 0x7f) {
            char escape[7];
            std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(code_point));
            out += escape;
        } else {
            out += text.substr(0, length);
        }
        text.remove_prefix(length);
    }
    return out + "\"";
}

std::optional<double> parse_decimal(std::string_view text) {
    std::string digits(text.substr(text.substr(0, 1) == "-" ? 1 : 0));
    size_t point = digits.find('.');
    bool plain = !digits.empty() && digits.find_first_not_of("0123456789.") == std::string::npos &&
                 digits.front() != '.' && digits.back() != '.' && digits.find('.', point + 1) == std::string::npos;
    if (!plain) {
        return std::nullopt;
    }
    return std::strtod(std::string(text).c_str(), nullptr);
}

bool glob_match(std::string_view pattern, std::string_view text) {
    size_t p = 0;
    size_t t = 0;
    size_t star = std::string_view::npos;
    size_t retry = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            retry = t;
        } else if (p < pattern.size() && (pattern[p] == text[t] || (pattern[p] == '?' && text[t] != '/'))) {
            ++p;
            ++t;
        } else if (star != std::string_view::npos && text[retry] != '/') {
            p = star + 1;
            t = ++retry;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') {
        ++p;
    }
    return p == pattern.size();
}

}  // namespace sbx
