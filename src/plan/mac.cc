#include "plan/mac.h"

#include <algorithm>
#include <array>

#include "plan/mounts.h"
#include "util/text.h"

namespace sbx {
namespace {

constexpr std::array<const char*, 4> kPrograms = {"/usr", "/bin", "/sbin", "/System"};

// F38 and what the loader, xcrun and the shells look at before main().
constexpr std::array<const char*, 7> kAlways = {"/private/preboot/Cryptexes", "/private/var/db/dyld",      "/private/var/db/timezone",
                                                "/private/var/select",       "/private/var/db/xcode_select_link",
                                                "/private/var/run/resolv.conf", "/Library/Apple"};

constexpr std::array<const char*, 4> kNormal = {"/Library", "/opt", "/nix", "/private/etc"};

constexpr std::array<const char*, 20> kMinimal = {
    "/Library/Developer/CommandLineTools", "/Library/Java",          "/Library/Frameworks",
    "/private/etc/ssl",                    "/private/etc/resolv.conf", "/private/etc/hosts",
    "/private/etc/services",               "/private/etc/protocols", "/private/etc/passwd",
    "/private/etc/group",                  "/private/etc/localtime", "/private/etc/shells",
    "/private/etc/paths",                  "/private/etc/paths.d",   "/private/etc/profile",
    "/private/etc/bashrc",                 "/private/etc/zprofile",  "/private/etc/zshrc",
    "/private/etc/zshenv",                 "/private/etc/gitconfig"};

constexpr std::array<std::pair<const char*, const char*>, 3> kLinks = {
    {{"/tmp", "private/tmp"}, {"/var", "private/var"}, {"/etc", "private/etc"}}};

// Unix permissions keep these from ordinary users; as root nothing else would. The last one is every
// file of the disk by a second name, home included.
constexpr std::array<const char*, 11> kHidden = {
    "/private/etc/master.passwd",           "/private/etc/sudoers",
    "/private/etc/sudoers.d",               "/private/etc/krb5.keytab",
    "/private/etc/ssh/ssh_host_dsa_key",    "/private/etc/ssh/ssh_host_ecdsa_key",
    "/private/etc/ssh/ssh_host_ed25519_key", "/private/etc/ssh/ssh_host_rsa_key",
    "/Library/Keychains",                   "/private/var/db/dslocal",
    "/System/Volumes/Data"};

// Last component of a toolchain's prefix, and the variable that names it.
constexpr std::array<std::pair<const char*, const char*>, 12> kToolchainVariables = {
    {{".rustup", "RUSTUP_HOME"},
     {".volta", "VOLTA_HOME"},
     {".pyenv", "PYENV_ROOT"},
     {".rbenv", "RBENV_ROOT"},
     {".nodenv", "NODENV_ROOT"},
     {".asdf", "ASDF_DATA_DIR"},
     {".nvm", "NVM_DIR"},
     {"fnm", "FNM_DIR"},
     {".sdkman", "SDKMAN_DIR"},
     {"mise", "MISE_DATA_DIR"},
     {".bun", "BUN_INSTALL"},
     {".goenv", "GOENV_ROOT"}}};

Mount mount_of(const std::string& path, Purpose purpose, Access access, const std::string& rule) {
    Mount mount;
    mount.purpose = purpose;
    mount.source = mount.destination = path;
    mount.access = access;
    mount.rule = rule;
    return mount;
}

Mount mask_of(const std::string& path, Purpose purpose, const std::string& rule) {
    Mount mount = mount_of(path, purpose, Access::Read, rule);
    mount.kind = Mount::Kind::Mask;
    mount.source.clear();
    return mount;
}

Result<void> check_expressible(const Policy& policy) {
    if (policy.limits.cpus.value) {
        return Error{"not_expressible",
                     policy.limits.cpus.origin.text() + ": limits.cpus: macOS cannot bind a process to a number of CPUs",
                     "leave it out, or use sandbox.backend = \"container\""};
    }
    if (policy.nested.value == Nested::On) {
        return Error{"not_expressible",
                     policy.nested.origin.text() +
                         ": sandbox.nested = \"on\": macOS refuses a sandbox inside one that denies anything",
                     "leave it out, and tell the inner tool not to sandbox itself (swift build --disable-sandbox)"};
    }
    return {};
}

void add_system_reads(const Policy& policy, const HostFacts& facts, Plan& plan) {
    const std::string rule = "sandbox.systemRead";
    auto read = [&](const std::string& path) {
        plan.mounts.push_back(mount_of(path, Purpose::System, Access::Read, rule));
        plan.mounts.back().origin = policy.system_read.origin;
    };
    if (policy.system_read.value == SystemRead::Full) {
        read("/");
        // pine: "the system outside your home folder". Grants that lie deeper come after these.
        for (const std::string& path : {std::string("/Users"), std::string("/private/var/root"), facts.home,
                                        facts.config_dir, facts.state_dir}) {
            if (!path.empty()) {
                plan.mounts.push_back(mask_of(path, Purpose::System, rule));
            }
        }
        return;
    }
    for (const char* path : kPrograms) {
        read(path);
    }
    for (const char* path : kAlways) {
        read(path);
    }
    if (policy.system_read.value == SystemRead::Normal) {
        for (const char* path : kNormal) {
            read(path);
        }
    } else {
        for (const char* path : kMinimal) {
            read(path);
        }
    }
    // /usr/bin/git, clang, make and python3 only start the selected developer tools (mxc#1110).
    if (!facts.mac.developer.empty()) {
        read(facts.mac.developer);
    }
}

}  // namespace

MacPlaces mac_places(const HostFacts& facts) {
    // Explained on another system there is no run directory: the profile then shows where it would be.
    std::string base = facts.mac.run_directory.empty() ? "/private/var/folders/sbx-run" : facts.mac.run_directory;
    return {path_join(base, "home"), path_join(base, "tmp")};
}

Result<void> add_mac_system(const Policy& policy, const HostFacts& facts, Plan& plan) {
    SBX_CHECK(check_expressible(policy));
    if (policy.limits.tmp_size.value) {
        plan.notes.push_back(policy.limits.tmp_size.origin.text() +
                             ": limits.tmpSize: sandbox-exec cannot limit the size of a directory; fileSize limits "
                             "each file");
    }
    MacPlaces places = mac_places(facts);
    for (const auto& [path, text] : kLinks) {
        Mount link = mount_of(path, Purpose::System, Access::Read, "part of macOS");
        link.kind = Mount::Kind::Symlink;
        link.source = text;
        link.is_directory = false;
        plan.mounts.push_back(link);
    }
    add_system_reads(policy, facts, plan);
    Mount devices = mount_of("/dev", Purpose::Device, Access::Write, "fixed list of devices");
    devices.kind = Mount::Kind::Devices;
    plan.mounts.push_back(devices);
    if (!facts.terminal_device.empty()) {
        Mount terminal = mount_of(facts.terminal_device, Purpose::Device, Access::Write, "the caller's terminal");
        terminal.kind = Mount::Kind::Terminal;
        terminal.is_directory = false;
        plan.mounts.push_back(terminal);
    }
    // Both are the host's (C23): promised by F36 and P29. What is private to the run is `places.temp`.
    plan.mounts.push_back(mount_of("/private/tmp", Purpose::Temp, Access::Write, "temporary files, shared with the host"));
    if (!facts.mac.user_temp.empty()) {
        plan.mounts.push_back(
            mount_of(facts.mac.user_temp, Purpose::Temp, Access::Write, "temporary files, shared with the host"));
    }
    Mount temp = mount_of(places.temp, Purpose::Temp, Access::Write, "private temporary files");
    temp.mode = 0700;
    plan.mounts.push_back(temp);
    return {};
}

void add_mac_home(const Policy& policy, const HostFacts& facts, const std::string& id, Plan& plan) {
    switch (policy.home.value) {
        case HomeMode::Private: plan.home = mac_places(facts).home; break;
        case HomeMode::Persistent: plan.home = persistent_home(facts, plan, id); break;
        case HomeMode::Host: plan.home = facts.home.empty() ? mac_places(facts).home : facts.home; break;
    }
    Mount home = mount_of(plan.home, Purpose::Home, Access::Write, "sandbox.home");
    home.mode = 0700;
    home.origin = policy.home.origin;
    plan.mounts.push_back(home);
    if (policy.home.value != HomeMode::Host && policy.git_config.value == GitConfigMode::Identity &&
        !facts.git_identity.empty()) {
        Mount file = mount_of(path_join(plan.home, ".gitconfig"), Purpose::Home, Access::Write, "sandbox.gitConfig");
        file.kind = Mount::Kind::File;
        file.source.clear();
        file.mode = 0600;
        file.is_directory = false;
        file.data = generated_git_config(facts);
        plan.mounts.push_back(file);
    }
}

void add_mac_protection(const Policy& policy, const HostFacts& facts, bool allow_git_config, Plan& plan) {
    auto hide = [&](const std::string& path, const std::string& rule) {
        bool shown = std::any_of(plan.mounts.begin(), plan.mounts.end(), [&](const Mount& mount) {
            return mount.kind == Mount::Kind::Bind && path_within(path, mount.destination);
        });
        if (shown) {
            plan.mounts.push_back(mask_of(path, Purpose::Mask, rule));
        }
    };
    auto guard = [&](const std::string& path, const std::string& rule, const Origin& origin) {
        bool there = std::any_of(plan.mounts.begin(), plan.mounts.end(), [&](const Mount& mount) {
            return mount.purpose == Purpose::Guard && mount.destination == path;
        });
        if (there || writable_root(plan, path) == nullptr) {
            return;
        }
        plan.mounts.push_back(mount_of(path, Purpose::Guard, Access::Read, rule));
        plan.mounts.back().origin = origin;
    };
    // A rule guards a free name as well as a taken one.
    plan.placeholders.clear();
    plan.reserved.clear();
    GuardWhen when = policy.guards.git.value;
    bool git = when == GuardWhen::Always || (when == GuardWhen::Tainted && plan.tainted);
    if (git && facts.git && facts.git->trusted) {
        for (const GitDirectory& directory : facts.git_directories) {
            for (const auto& name : directory.missing) {
                bool config = name == "config" || name == "config.worktree";
                if (!config || !allow_git_config) {
                    guard(path_join(directory.path, name), "guards.git", policy.guards.git.origin);
                }
            }
        }
    }
    // A missing .fusion cannot be created either (C13).
    std::vector<std::string> roots;
    for (const Mount& mount : plan.mounts) {
        if (mount.kind == Mount::Kind::Bind && mount.access == Access::Write && mount.purpose >= Purpose::Worktree &&
            mount.purpose < Purpose::Policy && mount.is_directory) {
            roots.push_back(mount.destination);
        }
    }
    for (const auto& root : roots) {
        guard(path_join(root, ".fusion"), "nothing below .fusion is writable", Origin::built_in());
    }
    for (const char* path : kHidden) {
        hide(path, "not for every user of this machine");
    }
    if (!facts.live_dir.empty()) {
        hide(facts.live_dir, "sbx's own files");
    }
    if (!facts.home.empty()) {
        // The service that opens keychains is out of reach; the files are too (P38).
        hide(path_join(facts.home, "Library/Keychains"), "keychains");
        guard(path_join(facts.home, "Library/LaunchAgents"), "launchd runs what is put there", Origin::built_in());
    }
    if (!facts.mac.user_temp.empty()) {
        // The host's git, clang and make run whatever program this cache names.
        guard(path_join(facts.mac.user_temp, "xcrun_db"), "xcrun's cache of programs", Origin::built_in());
    }
}

std::vector<EnvironmentEntry> mac_toolchain_environment(const HostFacts& facts) {
    std::vector<EnvironmentEntry> out;
    for (const Toolchain& toolchain : facts.toolchains) {
        for (const auto& [name, variable] : kToolchainVariables) {
            if (path_name(toolchain.prefix) == name) {
                out.push_back({variable, toolchain.prefix, Origin::built_in()});
            }
        }
    }
    return out;
}

std::string mac_refused_worktree(const std::string& path) {
    for (const char* whole : {"/Users", "/Volumes", "/Applications", "/private", "/private/tmp", "/private/var",
                              "/private/var/folders", "/cores", "/opt"}) {
        if (path == whole) {
            return "Choose a folder of its own for the project.";
        }
    }
    for (const char* system : {"/System", "/Library", "/usr", "/bin", "/sbin", "/dev", "/private/etc"}) {
        if (path_within(path, system) && !path_within(path, "/usr/local")) {
            return "this is part of the system";
        }
    }
    return "";
}

}  // namespace sbx
