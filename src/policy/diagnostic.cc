#include "policy/diagnostic.h"

#include <fmt/format.h>

#include "util/text.h"

namespace sbx {
namespace {

/// A longer source line is cut: a policy of one huge line must not flood the terminal.
constexpr size_t kMaxShown = 160;

std::string line_of(std::string_view text, uint32_t number) {
    for (uint32_t line = 1; line < number; ++line) {
        size_t end = text.find('\n');
        if (end == std::string_view::npos) {
            return "";
        }
        text.remove_prefix(end + 1);
    }
    std::string_view found = text.substr(0, text.find('\n'));
    if (!found.empty() && found.back() == '\r') {
        found.remove_suffix(1);
    }
    return std::string(found);
}

/// White space that ends below byte `column` of `line`: tabs stay tabs, UTF-8 sequences count once.
std::string padding(std::string_view line, size_t column) {
    std::string out;
    for (size_t i = 0; i + 1 < column && i < line.size(); ++i) {
        bool continuation = (static_cast<unsigned char>(line[i]) & 0xc0) == 0x80;
        if (line[i] == '\t') {
            out += '\t';
        } else if (!continuation) {
            out += ' ';
        }
    }
    return out;
}

}  // namespace

void attach_source(Diagnostics& diagnostics, size_t first, std::string_view text) {
    for (size_t i = first; i < diagnostics.size(); ++i) {
        Diagnostic& diagnostic = diagnostics[i];
        if (diagnostic.origin.line > 0 && diagnostic.quotable && diagnostic.source_line.empty()) {
            diagnostic.source_line = line_of(text, diagnostic.origin.line);
        }
    }
}

std::string format_diagnostic(const Diagnostic& diagnostic) {
    bool in_file = diagnostic.origin.kind == Origin::Kind::File || diagnostic.origin.kind == Origin::Kind::Profile;
    std::string out = in_file ? "" : "sbx: ";
    out += fmt::format("{}: error: {}\n", printable_line(diagnostic.origin.text()), printable_line(diagnostic.message));
    std::string_view line = diagnostic.source_line;
    if (!line.empty() && line.size() <= kMaxShown) {
        out += fmt::format("    {}\n    {}^\n", printable_line(line), padding(line, diagnostic.origin.column));
    }
    if (!diagnostic.hint.empty()) {
        out += fmt::format("    hint: {}\n", printable_line(diagnostic.hint));
    }
    return out;
}

std::string format_diagnostics(const Diagnostics& diagnostics) {
    std::string out;
    for (const Diagnostic& diagnostic : diagnostics) {
        out += format_diagnostic(diagnostic);
    }
    return out;
}

std::string diagnostic_json(const Diagnostic& diagnostic) {
    const Origin& origin = diagnostic.origin;
    std::string out = fmt::format("{{\"message\": {}, \"code\": {}, \"file\": {}", json_quote(diagnostic.message),
                                  json_quote(diagnostic.code), json_quote(origin.name));
    if (origin.line > 0) {
        out += fmt::format(", \"line\": {}, \"column\": {}", origin.line, origin.column);
    }
    if (!diagnostic.hint.empty()) {
        out += fmt::format(", \"hint\": {}", json_quote(diagnostic.hint));
    }
    return out + "}";
}

}  // namespace sbx
