// What was asked of this machine. Plain data: gathered by host/gather.cc, filled by hand in tests.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sbx {

enum class Platform { Linux, Mac };

using Variables = std::vector<std::pair<std::string, std::string>>;

enum class FileKind { Missing, File, Directory, Symlink, Other };

/// A path that the policy or the plan names, resolved once, before anything is started.
struct PathFacts {
    std::string resolved;                 ///< canonical; for a missing path the longest existing
                                          ///< prefix made canonical plus the rest
    FileKind kind = FileKind::Missing;    ///< of what `resolved` names (never Symlink)
    bool is_link = false;                 ///< the last component, as written, is a symbolic link
    bool writable = false;                ///< the caller may write it
    uid_t owner = 0;
};

/// One candidate of the fixed system list that exists on this machine.
struct SystemPath {
    std::string path;
    FileKind kind = FileKind::Missing;    ///< not followed: merged /usr has /bin as Symlink
    std::string link_target;              ///< text of the link
};

/// The repository that the worktree belongs to. sbx finds it by walking, never by running git.
struct GitFacts {
    std::string top_level;       ///< directory that holds the `.git` entry
    std::string entry;           ///< top_level + "/.git"
    bool entry_is_file = false;  ///< linked worktree or submodule
    bool entry_is_link = false;
    std::string git_dir;         ///< canonical; for a linked worktree COMMON/worktrees/NAME
    std::string common_dir;      ///< canonical; equals git_dir but for a linked worktree
    bool linked_worktree = false;
    bool trusted = false;        ///< pointers lead back to `entry` and the caller owns the directory
    bool writable = false;       ///< the caller can write common_dir
    std::vector<std::string> hooks_paths;  ///< resolved core.hooksPath values
    std::vector<std::string> includes;     ///< resolved include.path values
    bool has_alternates = false;
    bool worktree_config = true;           ///< false: git does not read config.worktree files here
};

/// A git directory whose files make git run programs: the worktree's own, its modules, its worktrees.
struct GitDirectory {
    std::string path;                      ///< canonical
    std::vector<std::string> existing;     ///< guarded names (relative) that exist: "config", "hooks", ...
    std::vector<std::string> missing;      ///< guarded names that do not
    std::vector<FileKind> kinds = {};           ///< of `existing`, in the same order; links are not followed
};

/// A file or directory that a denied pattern names and the command must not read.
struct MaskMatch {
    std::string path;
    FileKind kind = FileKind::File;
    std::string pattern;         ///< "": a directory of the caller's that cannot be read as it is now
    uint64_t links = 1;          ///< st_nlink; above 1 another name may still show the content
    bool tracked = false;        ///< in the worktree's git index: noted, not masked
};

/// A file or directory below a writable root that programs on the host run or obey.
struct HandoverMatch {
    std::string path;
    FileKind kind = FileKind::File;
    bool inside = false;         ///< a link in a folder that counts as a whole: it is what it leads to that counts
};

struct ScanFacts {
    std::vector<MaskMatch> masks;             ///< sorted by path
    std::vector<std::string> repositories;    ///< `.git` entries below the roots, but the worktree's own
    std::vector<HandoverMatch> handover;      ///< sorted by path; of what lies below another one only the links
    uint64_t entries = 0;
    uint64_t unreadable = 0;                  ///< directories that could not be read
    bool limit_reached = false;
};

/// An installation of a language or tool inside the home that PATH leads to.
struct Toolchain {
    std::string name;                     ///< "nvm", "rustup", "local-bin", "path"
    std::string prefix;                   ///< canonical path that is bound read-only
    FileKind kind = FileKind::Directory;  ///< of `prefix`
    std::vector<std::string> hidden;      ///< credentials below it, kept out; '/' at the end: a directory
    std::string path_entry;               ///< the PATH entry that led here
};

/// A file or directory outside /etc that a link in /etc leads to.
struct EtcTarget {
    std::string path;                     ///< canonical
    FileKind kind = FileKind::File;
    std::string data;                     ///< a file's content; "" when it is bound instead
};

struct LinuxFacts {
    std::string bwrap;                    ///< absolute, trusted; empty when there is none
    std::string bwrap_problem;            ///< why not: "not-installed", "setuid: ...", "not-trusted: ..."
    std::string bwrap_refused;            ///< the file that the last two are about
    int landlock_abi = 0;                 ///< 0: none
    bool memfd_exec_forbidden = false;    ///< vm.memfd_noexec = 2
    std::vector<std::string> system_hidden;  ///< of the system paths shown: as root what is not
                                             ///< world-readable, with systemRead = "full" people's homes
                                             ///< ('/' at the end: a directory)
    bool private_later = false;              ///< asked for by who runs the plan at once: private_roots then
                                             ///< takes the place of system_hidden
    std::vector<std::string> private_roots;  ///< as root: where find_private() is still to look
    std::vector<std::string> too_large;      ///< not shown: too large to look through as root
    std::vector<std::string> proc_hidden; ///< as root: entries of /proc that root may write without a
                                          ///< capability ('/' at the end: a directory)
    std::vector<EtcTarget> etc_targets;   ///< where links in /etc lead that is not shown otherwise
    std::string cgroup;                   ///< directory of the unified hierarchy in which this run can make
                                          ///< a group; looked for only when a limit needs it
    std::vector<std::string> controllers; ///< "memory", "pids", "cpu": those that it hands to its children
    std::string pids_cgroup;              ///< the same in the pids hierarchy of version 1
};

struct MacFacts {
    std::string user_temp;                ///< confstr(_CS_DARWIN_USER_TEMP_DIR), canonical
    std::string user_cache;               ///< confstr(_CS_DARWIN_USER_CACHE_DIR), canonical
    std::string run_directory;            ///< where this run's private places will be made; does not exist yet
    std::string developer;                ///< selected Xcode.app or Command Line Tools, canonical; else empty
    std::string version;                  ///< of macOS, "26.1"
    bool sandbox_exec = false;
    bool inside_sandbox = false;
};

struct VmFacts {
    std::string container;                ///< absolute path of Apple's tool; empty when there is none
    std::string version;
    std::vector<std::string> host_addresses;
};

struct HostFacts {
    Platform platform = Platform::Linux;
    uid_t uid = 0;
    gid_t gid = 0;
    std::string user;                     ///< login name, "" when unknown
    std::string cwd;                      ///< physical
    std::string cwd_logical;              ///< $PWD when it names the same directory, else cwd
    std::string home;                     ///< canonical home; "" when missing or unusable ("/", /usr)
    std::string home_as_given;            ///< $HOME byte for byte
    std::string config_dir;               ///< sbx's own directories: never visible as grants
    std::string state_dir;
    std::string live_dir;                 ///< where the runs of this user that are live find each other, whatever
                                          ///< their environments say
    std::string journal_dir;              ///< the same, but kept when the machine starts anew; "" where live_dir is
    std::string executable;               ///< canonical path of sbx itself
    Variables environment;
    bool has_terminal = false;            ///< a controlling terminal exists
    bool terminal_output = false;         ///< stderr is a terminal
    std::string terminal_device;          ///< path of the terminal on 0, 1 or 2; "" when there is none
    std::vector<int> inherited_pipes;     ///< open descriptors above 2 that are pipes or FIFOs
    bool inside_sbx = false;              ///< started inside another sbx sandbox
    std::vector<SystemPath> system;
    std::map<std::string, PathFacts> paths;  ///< keyed by the expanded, normalised text
    std::optional<GitFacts> git;
    std::vector<GitDirectory> git_directories;
    std::vector<Toolchain> toolchains;
    std::vector<SystemPath> links;        ///< symbolic links that the caller's cwd, home and PATH go through
    std::vector<std::pair<std::string, std::string>> git_identity;  ///< harmless ~/.gitconfig keys
    ScanFacts scan;
    LinuxFacts linux_;
    MacFacts mac;
    VmFacts vm;

    /// Value of an environment variable of the caller; nullptr when unset.
    const std::string* variable(const std::string& name) const;
};

}  // namespace sbx
