// What a Plan lets the command do with one path, port or variable: the model that `sbx explain`, the
// Seatbelt property test and the live agreement test all use. Pure.
#pragma once

#include <string>

#include "plan/plan.h"

namespace sbx {

struct PathAnswer {
    bool visible = false;    ///< stat() finds it, if it exists
    bool readable = false;
    bool writable = false;
    const Mount* mount = nullptr;   ///< the deciding mount; nullptr: nothing is mounted there
};

/// `path`: absolute and canonical on the host.
PathAnswer query_path(const Plan& plan, const std::string& path);

/// True when the command may bind TCP `port` so that the host sees it.
bool query_bind(const Plan& plan, uint16_t port);

/// The variable as the command gets it; nullptr when it does not.
const EnvironmentEntry* query_environment(const Plan& plan, const std::string& name);

}  // namespace sbx
