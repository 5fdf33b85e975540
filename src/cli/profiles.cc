// sbx profiles, sbx schema: what is built in.
#include "policy/profiles.h"

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "policy/json_schema.h"
#include "run/console.h"
#include "util/text.h"

namespace sbx::cli {

int profiles(const Arguments& arguments) {
    std::string out;
    if (arguments.words.empty()) {
        for (const ShippedProfile& profile : shipped_profiles()) {
            out += fmt::format("{:<10} {}\n", profile.name, profile_summary(profile));
        }
        return print(out);
    }
    for (const std::string& name : arguments.words) {
        const ShippedProfile* profile = find_profile(name);
        if (profile == nullptr) {
            say(Error{"not_found", fmt::format("there is no profile \"{}\"", printable_line(name)),
                      "sbx profiles lists them"});
            return kNo;
        }
        out += profile->text();
    }
    return print(out);
}

int schema(const Arguments& arguments) {
    if (!arguments.words.empty()) {
        say(Error{"usage", "sbx schema takes no arguments", ""});
        return kUsage;
    }
    return print(json_schema());
}

}  // namespace sbx::cli
