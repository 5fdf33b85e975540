// All layers of policy into one: built-in, system, user, project, named, flags.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "host/facts.h"
#include "policy/diagnostic.h"
#include "policy/policy.h"

namespace sbx {

/// What the command line says about the policy.
struct PolicyRequest {
    /// One --policy or --profile, in the order of the command line.
    struct Named {
        bool profile = false;
        std::string text;
    };
    /// One flag that stands for a key of the schema: {"--write", "sandbox.allowedWritePaths", "/x"}.
    struct Setting {
        std::string flag;
        std::string key;
        std::string value;
    };

    std::vector<Named> named;
    std::vector<Setting> settings;
    std::string base;                    ///< what relative paths in flags start from; "": facts.cwd
    bool only_named = false;             ///< no system, user and project policy: for `sbx check FILE`
    bool bypass_anyway = false;          ///< --bypass-anyway (P111)
    bool allow_tainted_network = false;  ///< --allow-tainted-network (P66)
};

/// One file or profile that took part.
struct PolicySource {
    enum class Role { System, User, Project, Named, Profile };
    Role role = Role::Named;
    std::string name;      ///< as messages show it
    std::string path;      ///< canonical; "" for a profile
    bool trusted = true;   ///< false: a project policy that may only narrow
};

struct LoadedPolicy {
    Policy policy;
    Diagnostics errors;                 ///< not empty: nothing may be run
    std::vector<std::string> notes;     ///< one line each, for standard error
    std::vector<std::string> warnings;  ///< the same, and --quiet does not silence them
    std::vector<PolicySource> sources;  ///< weakest first
    std::vector<std::pair<Origin, std::string>> texts;  ///< what was read, for quoting
};

/// `facts` from gather_caller(). Reads the policy files and the trust store, nothing else.
LoadedPolicy load_policy(const HostFacts& facts, const PolicyRequest& request);

/// Adds an error for every path that the policy may not grant. Needs the policy's paths in `facts`
/// (resolve_policy_paths).
void check_grants(const HostFacts& facts, LoadedPolicy& loaded);

/// The project policy that applies in `cwd`: the nearest sbx.toml from there up to the repository's top
/// level (without a repository: only in `cwd`), never in or above the home. "" when there is none.
/// `directory` is what it may narrow to.
struct ProjectPolicy {
    std::string file;
    std::string directory;
};
ProjectPolicy find_project_policy(const HostFacts& facts);

}  // namespace sbx
