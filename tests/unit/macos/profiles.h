// Plans for the Mac of fixture.h from the shipped profiles.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "plan/build.h"
#include "policy/load.h"
#include "policy/profiles.h"
#include "unit/macos/fixture.h"

namespace sbx::test {

using Flags = std::vector<std::pair<std::string, std::string>>;

/// The plan of `profile` ("" for none) with further settings {"sandbox.network", "on"}.
inline Result<Plan> plan_of_profile(const std::string& profile, const Flags& flags, HostFacts facts) {
    PolicyRequest request;
    request.only_named = true;
    if (!profile.empty()) {
        request.named.push_back({true, profile});
    }
    request.settings.push_back({"--backend", "sandbox.backend", "sandbox-exec"});
    for (const auto& [key, value] : flags) {
        request.settings.push_back({"--" + key, key, value});
    }
    LoadedPolicy loaded = load_policy(facts, request);
    if (!loaded.errors.empty()) {
        return Error{"policy", loaded.errors[0].message, ""};
    }
    if (!loaded.policy.toolchains_auto.value) {
        facts.toolchains.clear();  // gathering looks for none then
    }
    Invocation invocation;
    invocation.argv = {"true"};
    return build_plan(loaded.policy, facts, invocation);
}

/// As gathering would have resolved it.
inline void add_path(HostFacts& facts, const std::string& path, FileKind kind = FileKind::Directory) {
    facts.paths[path] = PathFacts{path, kind, false, true};
}

}  // namespace sbx::test
