#include "host/gather.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "host/git.h"
#include "host/grants_scan.h"
#include "host/platform.h"
#include "host/resolve.h"
#include "host/toolchains.h"
#include "host/user_git_config.h"
#include "util/text.h"
#include "vm/run/vm_facts.h"

extern char** environ;

namespace sbx {
namespace {

// A home that is one of these is a service account's: replacing it would hide the system.
constexpr const char* kNotAHome[] = {"/", "/usr", "/bin", "/sbin", "/lib", "/etc", "/dev", "/proc", "/sys",
                                     "/run", "/var", "/tmp", "/opt", "/nonexistent", "/home"};

void read_environment(HostFacts& facts) {
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        std::string_view text(*entry);
        size_t equals = text.find('=');
        if (equals != std::string_view::npos && equals > 0) {
            facts.environment.emplace_back(text.substr(0, equals), text.substr(equals + 1));
        }
    }
}

bool same_directory(const std::string& a, const std::string& b) {
    struct stat first {};
    struct stat second {};
    return stat(a.c_str(), &first) == 0 && stat(b.c_str(), &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

Result<void> read_cwd(HostFacts& facts) {
    char buffer[65536];
    if (getcwd(buffer, sizeof buffer) == nullptr || buffer[0] != '/') {
        return Error{"cwd_missing", "the current directory does not exist any more",
                     "change to a directory that exists"};
    }
    facts.cwd = buffer;
    const std::string* logical = facts.variable("PWD");
    bool usable = logical != nullptr && !logical->empty() && logical->front() == '/' &&
                  path_normalise(*logical) == *logical && same_directory(*logical, facts.cwd);
    facts.cwd_logical = usable ? *logical : facts.cwd;
    return {};
}

void read_home(HostFacts& facts) {
    const std::string* home = facts.variable("HOME");
    if (home == nullptr || home->empty() || home->front() != '/') {
        return;
    }
    facts.home_as_given = *home;
    auto resolved = real_path(*home);
    if (!resolved || kind_of(*resolved) != FileKind::Directory) {
        return;
    }
    for (const char* other : kNotAHome) {
        if (*resolved == other) {
            return;
        }
    }
    facts.home = *resolved;
}

std::string own_directory(const HostFacts& facts, const char* variable, const char* fallback) {
    const std::string* configured = facts.variable(variable);
    if (configured != nullptr && !configured->empty() && configured->front() == '/') {
        return path_join(path_normalise(*configured), "sbx");
    }
    if (!facts.home.empty()) {
        return path_join(path_join(facts.home, fallback), "sbx");
    }
    return "";
}

/// A state directory that works without a home: the runtime directory, else one in /tmp that only this
/// user can have made (checked where it is opened).
std::string state_directory(const HostFacts& facts) {
    std::string directory = own_directory(facts, "XDG_STATE_HOME", ".local/state");
    if (!directory.empty()) {
        return directory;
    }
    const std::string* runtime = facts.variable("XDG_RUNTIME_DIR");
    if (runtime != nullptr && !runtime->empty() && runtime->front() == '/') {
        return path_join(*runtime, "sbx");
    }
    return "/tmp/sbx-" + std::to_string(facts.uid);
}

void look_at_entries(const std::vector<PathEntry>& entries, HostFacts& facts) {
    for (const auto& entry : entries) {
        std::string path = expand_path(entry, facts);
        facts.paths[path] = look_at(path);
    }
}

/// `.fusion` right below what will be writable: Fusion's own state, guarded in every sandbox (C13).
void look_for_fusion(const Policy& policy, const std::string& start, HostFacts& facts) {
    std::vector<std::string> roots = {start};
    if (facts.git) {
        roots.push_back(facts.git->top_level);
    }
    for (const auto& entry : policy.write_paths) {
        roots.push_back(facts.paths[expand_path(entry, facts)].resolved);
    }
    for (const std::string& root : roots) {
        std::string path = path_join(root, ".fusion");
        if (kind_of(path) != FileKind::Missing) {
            facts.paths[path] = look_at(path);
        }
    }
}

/// A guarded link: where it leads, and where it is itself, for that has to be said without links.
void look_at_link(const std::string& path, HostFacts& facts) {
    facts.paths[path] = look_at(path);
    facts.paths[path_parent(path)] = look_at(path_parent(path));
}

/// Guarded names that are symbolic links: the link and its target are both guarded.
void look_at_guarded_links(const Policy& policy, HostFacts& facts) {
    std::vector<std::string> links;
    for (const GitDirectory& directory : facts.git_directories) {
        for (size_t i = 0; i < directory.existing.size(); ++i) {
            if (directory.kinds[i] == FileKind::Symlink) {
                links.push_back(path_join(directory.path, directory.existing[i]));
            }
        }
    }
    if (facts.git && facts.git->entry_is_link) {
        links.push_back(facts.git->entry);
    }
    std::vector<std::string> named;
    for (const PathEntry& entry : policy.guards.paths) {
        named.push_back(expand_path(entry, facts));
    }
    if (facts.git) {
        named.insert(named.end(), facts.git->includes.begin(), facts.git->includes.end());
        named.insert(named.end(), facts.git->hooks_paths.begin(), facts.git->hooks_paths.end());
    }
    std::copy_if(named.begin(), named.end(), std::back_inserter(links),
                 [&](const std::string& path) { return facts.paths[path].is_link; });
    for (const std::string& link : links) {
        look_at_link(link, facts);
    }
}

}  // namespace

const std::string* HostFacts::variable(const std::string& name) const {
    for (const auto& [key, value] : environment) {
        if (key == name) {
            return &value;
        }
    }
    return nullptr;
}

Result<HostFacts> gather_caller() {
    HostFacts facts;
    facts.uid = geteuid();
    facts.gid = getegid();
    read_environment(facts);
    SBX_CHECK(read_cwd(facts));
    read_home(facts);
    if (const std::string* user = facts.variable("USER")) {
        facts.user = *user;
    }
    facts.config_dir = own_directory(facts, "XDG_CONFIG_HOME", ".config");
    facts.state_dir = state_directory(facts);
    facts.terminal_output = isatty(STDERR_FILENO) == 1;
    facts.inside_sbx = facts.variable("SBX_SANDBOX") != nullptr;
    SBX_CHECK(gather_platform_caller(facts));
    return facts;
}

std::string expand_path(const PathEntry& entry, const HostFacts& facts) {
    if (entry.text == "~" || entry.text.rfind("~/", 0) == 0) {
        return path_normalise(path_join(facts.home, entry.text.substr(1)));
    }
    if (!entry.text.empty() && entry.text.front() == '/') {
        return path_normalise(entry.text);
    }
    return path_normalise(path_join(entry.base.empty() ? facts.cwd : entry.base, entry.text));
}

void resolve_policy_paths(const Policy& policy, HostFacts& facts) {
    look_at_entries(policy.read_paths, facts);
    look_at_entries(policy.write_paths, facts);
    look_at_entries(policy.toolchain_paths, facts);
    look_at_entries(policy.guards.paths, facts);
    look_at_entries(policy.zones.safe, facts);
    look_at_entries(policy.zones.restricted, facts);
    if (policy.repo_root) {
        look_at_entries({*policy.repo_root}, facts);
    }
    for (const auto* entries : {&policy.read_paths, &policy.write_paths}) {
        for (const PathEntry& entry : *entries) {
            if (!entry.confined_to.empty()) {
                facts.paths[entry.confined_to] = look_at(entry.confined_to);
            }
        }
    }
}

Result<void> gather_for_policy(const Policy& policy, HostFacts& facts) {
    resolve_policy_paths(policy, facts);
    if (policy.backend.value == BackendChoice::Container) {
        for (const VmFolder& folder : policy.vm.folders) {
            look_at_entries({folder.path}, facts);
        }
        gather_vm_facts(facts.vm);
    }
    for (const std::string* own : {&facts.config_dir, &facts.state_dir, &facts.live_dir, &facts.journal_dir}) {
        bool shown = policy.home.value != HomeMode::Private || !policy.read_paths.empty();
        if (shown && !own->empty()) {
            facts.paths[*own] = look_at(*own);
        }
    }
    std::string start = facts.cwd;
    if (policy.worktree) {
        look_at_entries({*policy.worktree}, facts);
        start = facts.paths[expand_path(*policy.worktree, facts)].resolved;
    }
    facts.git = find_repository(start, facts.home);
    const std::string& root = policy.worktree || !facts.git ? start : facts.git->top_level;
    facts.paths.emplace(root, look_at(root));
    look_for_fusion(policy, start, facts);
    if (facts.git && facts.git->trusted) {
        facts.git_directories = guarded_git_directories(*facts.git);
        SBX_CHECK(read_repository_config(*facts.git, facts));
    }
    look_at_guarded_links(policy, facts);
    if (policy.git_config.value == GitConfigMode::Identity) {
        facts.git_identity = read_identity(facts);
    }
    SBX_CHECK(gather_platform(policy, facts));
    SBX_CHECK(scan_grants(policy, facts));
    for (const HandoverMatch& match : facts.scan.handover) {
        if (match.kind == FileKind::Symlink) {
            look_at_link(match.path, facts);
        }
    }
    find_toolchains(policy, facts);
    // What the caller names through a link must be found by that name inside.
    for (const std::string* named : {&facts.cwd_logical, &facts.home_as_given}) {
        if (!named->empty()) {
            walk_path(*named, facts.links);
        }
    }
    return {};
}

}  // namespace sbx
