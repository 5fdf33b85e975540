// What doctor says about a Mac. Pure: the facts are gathered, the trial run was made.
#pragma once

#include <string>

#include "host/facts.h"
#include "run/finding.h"
#include "util/result.h"

namespace sbx {

/// `trial`: how a program that does nothing fared under the default profile.
Findings mac_findings(const HostFacts& facts, const Result<void>& trial);

/// The script that selftest runs inside: it tries what must not work and prints "STATUS|LAYER|TEXT" for
/// each, with STATUS ok, FAIL or note. `canary`: a file of the home that the command must not read.
std::string mac_selftest_script(const std::string& canary, bool network);

/// The lines of that script as findings; others are left out.
Findings selftest_findings(const std::string& output);

}  // namespace sbx
