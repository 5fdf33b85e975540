// One walk over what the policy grants: secrets to hide, nested repositories, hand-over files.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "host/facts.h"
#include "host/scan_patterns.h"
#include "policy/policy.h"
#include "util/result.h"

namespace sbx {

struct ScanRoot {
    std::string path;         ///< canonical directory
    bool writable = true;     ///< false: only secrets are looked for
};

struct ScanRequest {
    std::vector<ScanRoot> roots;
    Zones zones;
    Scan limits;              ///< scan.skip, maxEntries, timeout, onLimit
    std::string own_entry;    ///< the worktree's own `.git`, which is not listed; may be empty
    std::string index;        ///< git's index of `top_level`; "": nothing counts as tracked
    std::string top_level;

    /// Folders of installed dependencies, in which nothing is hidden.
    std::function<bool(std::string_view name)> is_dependency_folder;

    /// Asked for each entry but `.git`, from two threads. May be empty.
    std::function<bool(std::string_view name, std::string_view parent_name, bool is_directory,
                       bool in_dependency_folder)>
        is_handover;
};

/// Walks the roots. Never follows a link and never enters `.git`, /proc and /sys. A root that does not
/// exist has nothing to report. A match that is a link is reported as what it leads to, if that lies in
/// a root: the link itself holds no secret.
/// Error "scan_limit": scan.maxEntries or scan.timeout was reached, and scan.onLimit is not `note`.
Result<ScanFacts> scan_roots(const ScanRequest& request);

}  // namespace sbx
