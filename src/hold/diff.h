// Differences between two texts, in the unified format that everybody reads. Pure.
#pragma once

#include <string>
#include <string_view>

namespace sbx::hold {

/// The hunks that lead from `before` to `after`, three lines of context; "" when they are equal. Control
/// characters are made visible: the text comes from the command.
std::string unified_diff(std::string_view before, std::string_view after);

/// True for what is not shown as text: a NUL byte, or much that is no UTF-8.
bool looks_binary(std::string_view content);

}  // namespace sbx::hold
