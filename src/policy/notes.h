// What a careful reader of a policy should know: every way in which it is weaker than the default.
#pragma once

#include <string>
#include <vector>

#include "host/facts.h"
#include "policy/load.h"

namespace sbx {

struct SecurityNote {
    std::string code;      ///< stable: "native", "bypass", "trusted_project_policy", "readable_by_others", ...
    std::string message;   ///< one sentence, with the origin in parentheses
};

/// Who else can look at a file or directory; gathered by the caller so that this stays pure.
struct FileAccess {
    std::string path;
    unsigned mode = 0;           ///< permission bits
    bool holds_values = false;   ///< the policy in it sets variables
    bool own = false;            ///< the user's own settings: mode 600, or 700 for a directory
};

/// What notes depend on besides the policy. Empty: nothing is known of this machine.
struct Surroundings {
    std::vector<FileAccess> files;
    ScanFacts vm_folders;                    ///< what denied patterns match in vm.folders
    std::vector<std::string> vm_caveats;     ///< what the guest's profile does not cover
};

/// Pine's security notes (P19, P59, P112, P133, P136, P143, P146, P151), and what a VM does not cover (C6,
/// T101). Empty: no weaker than the default.
std::vector<SecurityNote> security_notes(const LoadedPolicy& loaded, const Surroundings& around);

/// What is no weakness of the policy, but good to know: one line each (F47).
std::vector<std::string> remarks(const LoadedPolicy& loaded, Platform platform);

/// The policy files in use, the user's own directories and the worktree's `.env`, as far as they exist.
std::vector<FileAccess> look_at_policy_files(const HostFacts& facts, const LoadedPolicy& loaded);

}  // namespace sbx
