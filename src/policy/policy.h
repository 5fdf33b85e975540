// What the policy files and flags say, merged. Plain data: no system calls, no TOML.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "policy/origin.h"

namespace sbx {

enum class BackendChoice { Auto, Native, Bubblewrap, SandboxExec, Container };
enum class FailureMode { FailHard, FallbackNative };
enum class Preset { None, FusionWorktree };
enum class Mode { Manual, Auto, Bypass };
enum class Trust { Owner, Untrusted };
enum class NetworkMode { Off, On };  // `hosts` and `public` are planned: add them here and in plan/
enum class HomeMode { Private, Persistent, Host };
enum class GitConfigMode { Identity, Off };
enum class GitCommonDir { Write, Read };
enum class SystemRead { Minimal, Normal, Full };
enum class Nested { Off, On, Weaker };
enum class GuardWhen { Off, Tainted, Always };
enum class Handover { Off, Report, Hold, Protect };
enum class ZoneLevel { Restricted, Safe };
enum class ScanLimit { Error, Note };
enum class VmProfile { None, Web, Files };

/// A path as it was written. `?path` is optional, `+path` is created when missing.
struct PathEntry {
    std::string text;       ///< without the `?` or `+` marker; may start with `~/`
    std::string base;       ///< absolute directory that a relative `text` starts from
    bool optional = false;
    bool create = false;
    Origin origin;
    std::string confined_to;  ///< not empty: an untrusted project policy named it; it must lie in here
};

/// One element of a list of names, globs, hosts.
struct NameEntry {
    std::string text;
    Origin origin;
};

struct PortEntry {
    uint16_t port = 0;
    Origin origin;
};

/// One `[[vm.folders]]` table.
struct VmFolder {
    Setting<std::string> id;  ///< lower-case UUID; empty: sbx makes one
    PathEntry path;
};

struct EnvironmentPolicy {
    std::vector<NameEntry> pass;                         ///< names or `PREFIX_*`, added to the built-in list
    std::map<std::string, Setting<std::string>> set;     ///< exact values
};

struct Zones {
    std::vector<PathEntry> safe;
    std::vector<PathEntry> restricted;
    std::vector<NameEntry> denied;   ///< patterns, added to the eight built-in ones
    std::vector<NameEntry> exempt;   ///< names that a denied pattern does not mask
    Setting<ZoneLevel> level{ZoneLevel::Safe, {}};
    Setting<bool> mask_git{false, {}};
    Setting<std::string> strict_tmp{"", {}};
};

struct Guards {
    Setting<GuardWhen> git{GuardWhen::Always, {}};
    Setting<GuardWhen> instructions{GuardWhen::Tainted, {}};
    Setting<Handover> handover{Handover::Hold, {}};
    std::vector<PathEntry> paths;    ///< further read-only paths
};

struct Scan {
    std::vector<NameEntry> skip;     ///< directory names that the pattern masks do not look into
    Setting<int64_t> max_entries{5'000'000, {}};
    Setting<int64_t> timeout_ms{15'000, {}};
    Setting<ScanLimit> on_limit{ScanLimit::Error, {}};
};

/// Unset means no limit.
struct LimitsPolicy {
    Setting<std::optional<int64_t>> timeout_ms;
    Setting<std::optional<int64_t>> memory;       ///< bytes
    Setting<std::optional<int64_t>> processes;
    Setting<std::optional<double>> cpus;
    Setting<std::optional<int64_t>> file_size;    ///< bytes
    Setting<std::optional<int64_t>> open_files;
    Setting<std::optional<int64_t>> tmp_size;     ///< bytes, for /tmp, /dev/shm and the private home
};

struct VmPolicy {
    Setting<std::string> image;
    Setting<VmProfile> profile{VmProfile::None, {}};
    std::vector<VmFolder> folders;
    Setting<std::string> publish;
    std::vector<NameEntry> blocked_addresses;
    std::vector<NameEntry> dns;
    std::vector<NameEntry> allow_hosts;
    Setting<std::optional<double>> cpus;
    Setting<std::optional<int64_t>> memory;       ///< bytes
};

struct Policy {
    Setting<BackendChoice> backend{BackendChoice::Auto, {}};
    Setting<FailureMode> failure_mode{FailureMode::FailHard, {}};
    Setting<Preset> preset{Preset::None, {}};
    Setting<Mode> mode{Mode::Auto, {}};
    Setting<Trust> trust{Trust::Owner, {}};
    Setting<bool> tainted{false, {}};
    Setting<bool> bypass_when_tainted{false, {}};
    std::optional<PathEntry> worktree;            ///< unset: the git top level of cwd, else cwd
    std::optional<PathEntry> repo_root;
    std::vector<PathEntry> read_paths;
    std::vector<PathEntry> write_paths;
    Setting<NetworkMode> network{NetworkMode::Off, {}};
    std::vector<PortEntry> ports;
    Setting<bool> port_4040_override{false, {}};
    Setting<HomeMode> home{HomeMode::Private, {}};
    Setting<bool> toolchains_auto{true, {}};
    std::vector<PathEntry> toolchain_paths;
    Setting<GitConfigMode> git_config{GitConfigMode::Identity, {}};
    Setting<GitCommonDir> git_common_dir{GitCommonDir::Write, {}};
    Setting<SystemRead> system_read{SystemRead::Normal, {}};
    Setting<bool> allow_fusion_worktree{false, {}};
    Setting<Nested> nested{Nested::Off, {}};
    Setting<bool> allow_untrusted{true, {}};      ///< `[untrusted] allow`
    Setting<bool> worktree_read_only{false, {}};  ///< profiles that only look
    EnvironmentPolicy environment;
    Zones zones;
    Guards guards;
    Scan scan;
    LimitsPolicy limits;
    VmPolicy vm;

    /// Absolute paths of the policy files in use: never writable inside, whatever is granted (P51).
    std::vector<std::string> files;
};

}  // namespace sbx
