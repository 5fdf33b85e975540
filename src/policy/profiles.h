// The shipped profiles: TOML files of profiles/, carried inside the executable.
#pragma once

#include <string_view>
#include <vector>

namespace sbx {

struct ShippedProfile {
    std::string_view name;
    std::string_view (*text)();
};

const std::vector<ShippedProfile>& shipped_profiles();

/// nullptr when there is no such profile.
const ShippedProfile* find_profile(std::string_view name);

/// The first comment line of a profile: what it is for, in one sentence.
std::string_view profile_summary(const ShippedProfile& profile);

}  // namespace sbx
