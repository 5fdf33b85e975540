#include "policy/diagnostic.h"

#include <fmt/format.h>

#include <optional>

#include "policy/quoting.h"
#include "util/text.h"

namespace sbx {
namespace {

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

void attach_source(Diagnostics& diagnostics, size_t first, std::string_view text, const Origin& source) {
    std::optional<LineQuoter> quoter;
    for (size_t i = first; i < diagnostics.size(); ++i) {
        Diagnostic& diagnostic = diagnostics[i];
        const Origin& origin = diagnostic.origin;
        if (origin.line == 0 || !diagnostic.source_line.empty() || origin.kind != source.kind || origin.name != source.name) {
            continue;
        }
        if (!quoter) {
            quoter.emplace(text);
        }
        QuotedLine quoted = (*quoter)(origin.line, origin.column);
        diagnostic.source_line = std::move(quoted.text);
        diagnostic.caret = quoted.column;
    }
}

std::string format_diagnostic(const Diagnostic& diagnostic) {
    bool in_file = diagnostic.origin.kind == Origin::Kind::File || diagnostic.origin.kind == Origin::Kind::Profile;
    std::string out = in_file ? "" : "sbx: ";
    out += fmt::format("{}: error: {}\n", printable_line(diagnostic.origin.text()), printable_line(diagnostic.message));
    std::string_view line = diagnostic.source_line;
    if (!line.empty()) {
        out += fmt::format("    {}\n    {}^\n", printable_line(line), padding(line, diagnostic.caret));
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
