#include "policy/profiles.h"

#include "embedded/profile_agent.h"
#include "embedded/profile_ci.h"
#include "embedded/profile_decode.h"
#include "embedded/profile_default.h"
#include "embedded/profile_files.h"
#include "embedded/profile_fusion.h"
#include "embedded/profile_git_look.h"
#include "embedded/profile_go.h"
#include "embedded/profile_node.h"
#include "embedded/profile_pine.h"
#include "embedded/profile_python.h"
#include "embedded/profile_rust.h"
#include "embedded/profile_tatu.h"
#include "embedded/profile_untrusted.h"
#include "embedded/profile_web.h"

namespace sbx {

const std::vector<ShippedProfile>& shipped_profiles() {
    static const std::vector<ShippedProfile> profiles = {
        {"default", embedded::profile_default},
        {"agent", embedded::profile_agent},
        {"ci", embedded::profile_ci},
        {"untrusted", embedded::profile_untrusted},
        {"pine", embedded::profile_pine},
        {"fusion", embedded::profile_fusion},
        {"tatu", embedded::profile_tatu},
        {"web", embedded::profile_web},
        {"files", embedded::profile_files},
        {"git-look", embedded::profile_git_look},
        {"decode", embedded::profile_decode},
        {"node", embedded::profile_node},
        {"python", embedded::profile_python},
        {"rust", embedded::profile_rust},
        {"go", embedded::profile_go},
    };
    return profiles;
}

const ShippedProfile* find_profile(std::string_view name) {
    for (const ShippedProfile& profile : shipped_profiles()) {
        if (profile.name == name) {
            return &profile;
        }
    }
    return nullptr;
}

std::string_view profile_summary(const ShippedProfile& profile) {
    std::string_view line = profile.text();
    line = line.substr(0, line.find('\n'));
    line.remove_prefix(line.find_first_not_of("# ") == std::string_view::npos ? 0 : line.find_first_not_of("# "));
    return line;
}

}  // namespace sbx
