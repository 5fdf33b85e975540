// The patterns of files that are nobody's business: keys, credentials, secrets (Tatu, H11). Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/policy.h"

namespace sbx {

/// A pattern and where it was written.
struct DeniedPattern {
    std::string text;
    Origin origin;
};

/// The eight built-in patterns and those of `zones.denied`. They say which paths may not be *named*.
std::vector<DeniedPattern> denied_patterns(const Zones& zones);

/// Those that hide existing files below a granted folder: the same without `.git/*`, unless
/// `zones.maskGit` asks for it (C5).
std::vector<DeniedPattern> mask_patterns(const Zones& zones);

/// True for a file name that stays readable: `.env.example` and its kin, and `zones.exempt`.
bool is_exempt(const Zones& zones, std::string_view name);

/// The rule of C7. Without a slash a pattern matches any one component of `path`; with one it matches
/// consecutive components; `X/*` covers X too; what lies below a match is matched. Letter case (ASCII)
/// does not count. Components whose name is exempt do not match patterns without a slash.
bool pattern_denies(const Zones& zones, std::string_view pattern, std::string_view path);

/// The first pattern that denies `path`; nullptr when none does.
const DeniedPattern* denying_pattern(const Zones& zones, const std::vector<DeniedPattern>& patterns,
                                     std::string_view path);

}  // namespace sbx
