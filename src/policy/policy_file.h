// Reads one policy file, once, under the rules that make its content trustworthy.
#pragma once

#include <string>

#include "util/result.h"

namespace sbx {

constexpr size_t kMaxPolicyBytes = 65536;

struct PolicyText {
    std::string text;   ///< strict UTF-8, without a byte order mark
    std::string path;   ///< canonical
};

struct PolicyFileRules {
    bool refuse_links = false;    ///< the last component may not be a symbolic link
    bool refuse_shared = false;   ///< group or others may not be able to write it
};

/// Opens `path` once and reads it. Errors: "not_found", "not_a_file", "oversized", "unreadable" (not
/// UTF-8, no permission), "changed_while_reading", "not_trusted".
Result<PolicyText> read_policy_file(const std::string& path, const PolicyFileRules& rules);

}  // namespace sbx
