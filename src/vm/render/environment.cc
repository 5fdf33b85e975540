#include "vm/render/environment.h"

#include <array>
#include <string_view>

#include "util/text.h"
#include "vm/render/guest.h"

namespace sbx::vm {
namespace {

bool starts(std::string_view text, std::string_view prefix) {
    return text.substr(0, prefix.size()) == prefix;
}

bool means_something_inside(const EnvironmentEntry& entry) {
    switch (entry.origin.kind) {
        case Origin::Kind::File:
        case Origin::Kind::Flag:
        case Origin::Kind::Environment: return true;
        case Origin::Kind::BuiltIn:
        case Origin::Kind::Profile: break;
    }
    for (std::string_view name : {"LANG", "CI", "TERM", "SBX_SANDBOX", "SBX_TAINTED"}) {
        if (entry.name == name) {
            return true;
        }
    }
    return starts(entry.name, "LC_");
}

/// Names that would change the tool itself if they stood in its environment. They go onto its argument
/// list; none of them is the name of a secret.
bool would_change_the_tool(std::string_view name) {
    constexpr std::array<std::string_view, 11> kPrefixes = {
        "DYLD_", "LD_", "XPC_", "OBJC_", "SWIFT_", "CONTAINER_", "NS", "CF", "__", "Malloc", "OS_"};
    for (auto prefix : kPrefixes) {
        if (starts(name, prefix)) {
            return true;
        }
    }
    for (std::string_view exact : {"HOME", "PATH", "TMPDIR", "USER", "LOGNAME", "SHELL"}) {
        if (name == exact) {
            return true;
        }
    }
    return false;
}

bool is_name(std::string_view name) {
    constexpr std::string_view kFirst = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
    constexpr std::string_view kRest = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789.-";
    return !name.empty() && kFirst.find(name.front()) != std::string_view::npos &&
           name.find_first_not_of(kRest) == std::string_view::npos;
}

}  // namespace

Result<void> add_environment(const Plan& plan, const std::string& home, ContainerLaunch& launch) {
    bool home_given = false;
    for (const EnvironmentEntry& entry : plan.environment) {
        if (!means_something_inside(entry)) {
            continue;
        }
        if (!is_name(entry.name) || starts(entry.name, kVariablePrefix)) {
            return Error{
                "vm_environment",
                entry.origin.text() + ": the variable " + printable_line(entry.name) +
                    " cannot be handed to the guest",
                starts(entry.name, kVariablePrefix) ? "SANDBOX_* is what sbx tells the guest's init" : ""};
        }
        home_given = home_given || entry.name == "HOME";
        if (would_change_the_tool(entry.name)) {
            launch.options.insert(launch.options.end(), {"--env", entry.name + "=" + entry.value});
        } else {
            launch.options.insert(launch.options.end(), {"--env", entry.name});
            launch.environment.emplace_back(entry.name, entry.value);
        }
    }
    if (!home_given) {
        launch.options.insert(launch.options.end(), {"--env", "HOME=" + home});
    }
    return {};
}

}  // namespace sbx::vm
