// What the command will see, for every backend alike. Made by plan/build.h from Policy and HostFacts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/facts.h"
#include "policy/origin.h"
#include "policy/policy.h"

namespace sbx {

enum class Backend { Native, Bubblewrap, SandboxExec, Container };

enum class Access { Read, Write };

/// Why something is mounted. Order of the enumerators is the order in which `explain` groups them.
enum class Purpose {
    System,      ///< fixed read-only part of the system
    Device,      ///< /dev, /proc, /sys
    Temp,        ///< private /tmp, /dev/shm
    Home,        ///< private home
    Toolchain,   ///< language installation in the home, read-only
    Worktree,
    Git,         ///< common directory of a linked worktree
    ReadGrant,
    WriteGrant,
    Policy,      ///< sbx's own files, read-only
    Pin,         ///< ancestor of a guarded path, bound onto itself so that it cannot be renamed
    Guard,       ///< read-only although its surroundings are writable
    Mask         ///< present, but opening it fails
};

struct Mount {
    enum class Kind {
        Bind,       ///< `source` at `destination`
        Tmpfs,      ///< empty, writable, `mode`, `size` bytes (0: no limit)
        Kept,       ///< a private place like Tmpfs, whose content is kept in `source`, a folder of sbx's own
        Directory,  ///< made on the enclosing tmpfs
        Symlink,    ///< `source` is the link's text
        File,       ///< `data` on the enclosing tmpfs
        Devices,    ///< minimal /dev
        Processes,  ///< the sandbox's own /proc
        Terminal,   ///< the caller's terminal device
        Mask,       ///< unreadable stand-in; `is_directory` tells of what
        Pinned      ///< a symbolic link that is pinned as it is
    };

    Kind kind = Kind::Bind;
    Purpose purpose = Purpose::System;
    std::string source;
    std::string destination;      ///< absolute, canonical, no link on the way
    Access access = Access::Read;
    unsigned mode = 0755;
    uint64_t size = 0;
    std::string data;
    bool is_directory = true;
    bool may_be_gone = false;     ///< Guard, Mask: nothing is lost when it does not exist any more
    Origin origin;
    std::string rule;             ///< for messages: "guards.git", "zones.denied *.pem", ...
};

struct EnvironmentEntry {
    std::string name;
    std::string value;
    Origin origin;
};

struct NetworkPlan {
    NetworkMode mode = NetworkMode::Off;
    std::vector<uint16_t> ports;      ///< when not empty: the only ports that may be bound
    bool allow_4040 = false;
    Origin origin;
};

/// Unset: no limit.
struct Limits {
    std::optional<int64_t> timeout_ms;
    std::optional<int64_t> memory;
    std::optional<int64_t> processes;
    std::optional<double> cpus;
    std::optional<int64_t> file_size;
    std::optional<int64_t> open_files;
};

/// What hold/ watches: see src/hold/hold.h.
struct HandoverPlan {
    Handover handover = Handover::Off;
    bool hold_instructions = false;       ///< guards.instructions applies to this run
    bool report_instructions = false;
    std::vector<std::string> roots;       ///< writable roots on the host, canonical, outermost only
    std::vector<std::string> git_dirs;    ///< guarded by mounts already: hold leaves them alone
    std::string home;                     ///< the caller's: "~/" in git's settings
    std::string top_level;                ///< of the worktree's repository; "" when there is none to trust
    std::string git_dir;                  ///< its git directory, and where its refs are
    std::string common_dir;
    std::vector<std::string> read_only;   ///< guarded by mounts: what changes in them the host has changed
    std::vector<std::string> hooks;       ///< core.hooksPath folders: hand-over files as a whole
};

/// A file that must exist inside a git directory during the run so that nothing hostile can take its
/// place; removed afterwards if unchanged.
struct Placeholder {
    std::string path;
    bool is_directory = false;
    std::string data;
};

struct Plan {
    Backend backend = Backend::Bubblewrap;
    std::vector<std::string> argv;
    std::string cwd;
    std::string home;                     ///< where the command's home is (its $HOME)
    std::vector<Mount> mounts;            ///< shallow to deep; pins, guards and masks last
    std::vector<EnvironmentEntry> environment;
    NetworkPlan network;
    Limits limits;
    HandoverPlan handover;
    std::vector<Placeholder> placeholders;
    std::vector<std::string> reserved;    ///< free names that must stay free: the run ends when one is taken
    std::vector<std::string> private_roots;  ///< what not every user may read in there is to be found, and
                                             ///< masked as private_masks() says, before the command runs
    std::vector<std::string> create;      ///< directories (`+path`) to make before the run, canonical
    std::vector<int> keep_fds;
    Nested nested = Nested::Off;
    SystemRead system_read = SystemRead::Normal;
    bool new_session = false;             ///< no controlling terminal: give the command its own session
    bool tainted = false;
    bool untrusted = false;
    std::string worktree;                 ///< canonical
    VmPolicy vm;
    std::vector<std::string> notes;       ///< one line each, for stderr
    std::vector<std::string> warnings;    ///< the same, and --quiet does not silence them: there is no sandbox, ...
    std::vector<std::string> left_out;    ///< for --verbose: what the command does not get, and why
};

}  // namespace sbx
