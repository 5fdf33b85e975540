// What is wrong with a policy, and where.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/origin.h"

namespace sbx {

/// One mistake in a policy file or flag. Texts hold names and numbers, never the value of a variable.
struct Diagnostic {
    std::string code;         ///< "unknown_key", "wrong_type", "invalid_value", "invalid_path", "oversized", ...
    Origin origin;
    std::string message;
    std::string hint;         ///< may be empty
    std::string source_line;  ///< the line that `origin` points into, as quote_line() shows it; may be empty
    uint32_t caret = 0;       ///< column in `source_line`
};

using Diagnostics = std::vector<Diagnostic>;

/// Gives those of `diagnostics`, from index `first` on, that lie in `source` and have no source line yet
/// their lines of `text`.
void attach_source(Diagnostics& diagnostics, size_t first, std::string_view text, const Origin& source);

/// `FILE:LINE:COL: error: MESSAGE`, the source line, a caret below the column, the hint. Ends with a
/// newline. Safe to print on a terminal.
std::string format_diagnostic(const Diagnostic& diagnostic);
std::string format_diagnostics(const Diagnostics& diagnostics);

/// `{"message": …, "code": …, "file": …, "line": N, "column": N, "hint": …}`
std::string diagnostic_json(const Diagnostic& diagnostic);

}  // namespace sbx
