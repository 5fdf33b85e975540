#include "macos/render/sbpl_text.h"

#include <algorithm>
#include <array>

#include "util/text.h"

namespace sbx {
namespace {

constexpr size_t kLongestLiteral = 200;
constexpr std::array<std::string_view, 3> kPrivate = {"/tmp", "/var", "/etc"};

std::string escape(unsigned char byte) {
    if (byte == '"' || byte == '\\') {
        return {'\\', static_cast<char>(byte)};
    }
    if (byte >= 0x20 && byte <= 0x7e) {
        return {static_cast<char>(byte)};
    }
    constexpr char kDigits[] = "0123456789abcdef";
    return {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
}

}  // namespace

std::string sbpl_string(std::string_view bytes) {
    std::vector<std::string> literals(1);
    for (char byte : bytes) {
        std::string escaped = escape(static_cast<unsigned char>(byte));
        if (literals.back().size() + escaped.size() > kLongestLiteral) {
            literals.emplace_back();
        }
        literals.back() += escaped;
    }
    if (literals.size() == 1) {
        return "\"" + literals.front() + "\"";
    }
    std::string out = "(string-append";
    for (const auto& literal : literals) {
        out += " \"" + literal + "\"";
    }
    return out + ")";
}

std::vector<std::string> path_spellings(const std::string& path) {
    constexpr std::string_view kPrefix = "/private";
    std::vector<std::string> out = {path};
    for (std::string_view root : kPrivate) {
        if (path_within(path, root)) {
            out.push_back(std::string(kPrefix) + path);
        } else if (path_within(path, std::string(kPrefix) + std::string(root))) {
            out.push_back(path.substr(kPrefix.size()));
        }
    }
    return out;
}

std::vector<std::string> path_ancestors(const std::string& path) {
    std::vector<std::string> out;
    for (std::string at = path; at != "/";) {
        at = path_parent(at);
        out.push_back(at);
    }
    std::reverse(out.begin(), out.end());
    return out;
}

void SbplText::comment(std::string_view text) { text_ += indent_ + "; " + printable_line(text) + "\n"; }

void SbplText::raw(std::string_view lines) {
    for (const auto& line : split(lines, '\n')) {
        if (!line.empty()) {
            text_ += indent_ + line + "\n";
        }
    }
}

void SbplText::begin_when_defined(std::string_view operation) {
    text_ += "(when (defined? '" + std::string(operation) + ")\n";
    indent_ = "  ";
}

void SbplText::end_when_defined() {
    // `when` wants at least one form.
    text_ += indent_ + "#t)\n";
    indent_.clear();
}

void SbplText::rule(std::string_view verb, std::string_view operations, std::string_view filters) {
    text_ += indent_ + "(" + std::string(verb) + " " + std::string(operations);
    if (!filters.empty()) {
        text_ += " " + std::string(filters);
    }
    if (verb == "deny" && !tag_.empty()) {
        text_ += " (with message " + sbpl_string(tag_) + ")";
    }
    text_ += ")\n";
}

void SbplText::tree(std::string_view verb, std::string_view operations, const std::string& path) {
    for (const auto& spelling : path_spellings(path)) {
        std::string text = sbpl_string(spelling);
        rule(verb, operations, "(literal " + text + ") (subpath " + text + ")");
    }
}

void SbplText::one(std::string_view verb, std::string_view operations, const std::string& path) {
    for (const auto& spelling : path_spellings(path)) {
        rule(verb, operations, "(literal " + sbpl_string(spelling) + ")");
    }
}

}  // namespace sbx
