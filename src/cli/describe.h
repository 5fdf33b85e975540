// A plan in words, as a table or as JSON, for `sbx explain`.
#pragma once

#include <string>

#include "cli/prepare.h"

namespace sbx::cli {

std::string describe_text(const Prepared& prepared, const Plan& plan);
std::string describe_json(const Prepared& prepared, const Plan& plan);

/// "bubblewrap", ...
std::string_view backend_name(Backend backend);

}  // namespace sbx::cli
