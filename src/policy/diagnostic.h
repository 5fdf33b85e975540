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
    std::string source_line;  ///< the line that `origin` points into; empty when there is none
    bool quotable = true;     ///< false: the line holds the value of a variable, and is not shown (T90)
};

using Diagnostics = std::vector<Diagnostic>;

/// Copies the source lines out of `text` into those of `diagnostics`, from index `first` on, that have
/// a line number and no source line yet.
void attach_source(Diagnostics& diagnostics, size_t first, std::string_view text);

/// `FILE:LINE:COL: error: MESSAGE`, the source line, a caret below the column, the hint. Ends with a
/// newline. Safe to print on a terminal.
std::string format_diagnostic(const Diagnostic& diagnostic);
std::string format_diagnostics(const Diagnostics& diagnostics);

/// `{"message": …, "code": …, "file": …, "line": N, "column": N, "hint": …}`
std::string diagnostic_json(const Diagnostic& diagnostic);

}  // namespace sbx
