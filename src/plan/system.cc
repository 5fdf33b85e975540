#include <algorithm>

#include "plan/mounts.h"
#include "plan/places.h"
#include "policy/sha256.h"
#include "util/git_config.h"
#include "util/text.h"

namespace sbx {
namespace {

Mount read_only(const std::string& path, const char* rule) {
    Mount mount;
    mount.purpose = Purpose::System;
    mount.source = mount.destination = path;
    mount.rule = rule;
    return mount;
}

Mount place(Mount::Kind kind, Purpose purpose, std::string destination, unsigned mode) {
    Mount mount;
    mount.kind = kind;
    mount.purpose = purpose;
    mount.destination = std::move(destination);
    mount.mode = mode;
    mount.access = Access::Write;
    return mount;
}

Mount link(std::string text, std::string destination) {
    Mount mount;
    mount.kind = Mount::Kind::Symlink;
    mount.source = std::move(text);
    mount.destination = std::move(destination);
    return mount;
}

/// Masks for paths of the system; a '/' at the end marks a directory. What the policy grants by name
/// stays visible, and where nothing is shown nothing needs hiding.
std::vector<Mount> masks_of(const std::vector<std::string>& paths, const char* rule, const Plan& plan) {
    std::vector<Mount> masks;
    for (const auto& path : paths) {
        Mount mask = read_only(path, rule);
        mask.kind = Mount::Kind::Mask;
        mask.purpose = Purpose::Mask;
        mask.is_directory = path.back() == '/';
        if (mask.is_directory) {
            mask.destination.pop_back();
        }
        mask.source.clear();
        const Mount* shows = nullptr;
        for (const Mount& mount : plan.mounts) {
            bool place = mount.kind == Mount::Kind::Bind || mount.kind == Mount::Kind::Processes;
            if (place && path_within(mask.destination, mount.destination) &&
                (shows == nullptr || mount.destination.size() >= shows->destination.size())) {
                shows = &mount;
            }
        }
        if (shows != nullptr && (shows->purpose == Purpose::System || shows->purpose == Purpose::Device)) {
            masks.push_back(std::move(mask));
        }
    }
    return masks;
}

void hide(std::vector<Mount> masks, Plan& plan) {
    plan.mounts.insert(plan.mounts.end(), std::make_move_iterator(masks.begin()), std::make_move_iterator(masks.end()));
}

bool shows_system(const HostFacts& facts, const char* path) {
    return std::any_of(facts.system.begin(), facts.system.end(),
                       [&](const SystemPath& system) { return system.path == path; });
}

/// systemRead = "minimal": the names of the other users are nobody's business.
void add_users(const HostFacts& facts, Plan& plan) {
    constexpr std::string_view kNameBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    bool usable = !facts.user.empty() && facts.user.find_first_not_of(kNameBytes) == std::string::npos;
    std::string user = facts.uid == 0 ? "root" : usable && facts.user != "root" ? facts.user : "user";
    std::string home = plan.home.find_first_of(":\n") == std::string::npos ? plan.home : "/";
    std::string uid = std::to_string(facts.uid);
    std::string gid = std::to_string(facts.gid);
    std::string passwd = user + ":x:" + uid + ":" + gid + ":" + user + ":" + home + ":/bin/sh\n";
    std::string group = (facts.gid == 0 ? "root" : user) + ":x:" + gid + ":\n";
    if (facts.uid != 0) {
        passwd += "root:x:0:0:root:/root:/bin/sh\n";
    }
    if (facts.gid != 0) {
        group += "root:x:0:\n";
    }
    passwd += "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n";
    group += "nogroup:x:65534:\n";
    for (const auto& [name, data] : {std::pair{"/etc/passwd", passwd}, std::pair{"/etc/group", group}}) {
        Mount file = place(Mount::Kind::File, Purpose::System, name, 0644);
        file.data = data;
        file.access = Access::Read;
        file.is_directory = false;
        file.rule = "sandbox.systemRead";
        plan.mounts.push_back(file);
    }
}

/// What links in /etc lead to outside of it: resolv.conf, certificates.
void add_etc_targets(const HostFacts& facts, Plan& plan) {
    for (const EtcTarget& target : facts.linux_.etc_targets) {
        bool twice = std::any_of(plan.mounts.begin(), plan.mounts.end(), [&](const Mount& mount) {
            return mount.destination == target.path;
        });
        if (twice) {
            continue;
        }
        Mount mount = read_only(target.path, "a link in /etc leads there");
        mount.is_directory = target.kind == FileKind::Directory;
        if (!target.data.empty()) {
            mount.kind = Mount::Kind::File;
            mount.source.clear();
            mount.data = target.data;
            mount.mode = 0444;
        }
        plan.mounts.push_back(mount);
    }
}

void add_temp(const Policy& policy, const HostFacts& facts, Plan& plan) {
    Mount temp = place(Mount::Kind::Tmpfs, Purpose::Temp, kTempDirectory, 01777);
    temp.size = static_cast<uint64_t>(policy.limits.tmp_size.value.value_or(0));
    temp.rule = "private /tmp";
    plan.mounts.push_back(temp);
    plan.mounts.push_back(place(Mount::Kind::Directory, Purpose::Temp, runtime_directory(facts), 0700));
    plan.mounts.push_back(place(Mount::Kind::Directory, Purpose::System, "/run", 0755));
    if (!shows_system(facts, "/var")) {
        plan.mounts.push_back(place(Mount::Kind::Directory, Purpose::System, "/var", 0755));
        plan.mounts.push_back(link("../run", "/var/run"));
    }
}

/// `tty` names the terminal by its path, and password prompts open that. The sandbox's own /dev/pts has
/// another numbering, so the caller's terminal is shown as /dev/console, where ttyname(3) finds it.
void add_terminal(const HostFacts& facts, Plan& plan) {
    if (facts.terminal_device.empty()) {
        return;
    }
    Mount mount = place(Mount::Kind::Terminal, Purpose::Device, "/dev/console", 0600);
    mount.source = facts.terminal_device;
    mount.is_directory = false;
    plan.mounts.push_back(mount);
}

}  // namespace

void add_system(const Policy& policy, const HostFacts& facts, Plan& plan) {
    for (const SystemPath& path : facts.system) {
        if (path.kind == FileKind::Symlink) {
            plan.mounts.push_back(link(path.link_target, path.path));
        } else {
            Mount mount = read_only(path.path, "sandbox.systemRead");
            mount.origin = policy.system_read.origin;
            mount.is_directory = path.kind == FileKind::Directory;
            plan.mounts.push_back(mount);
        }
    }
    for (const auto& path : facts.linux_.too_large) {
        plan.notes.push_back(policy.system_read.origin.text() + ": " + printable_line(path) +
                             " is not shown: too large to look through for what only root may read");
    }
    add_etc_targets(facts, plan);
    if (policy.system_read.value == SystemRead::Minimal) {
        add_users(facts, plan);
    }
    plan.mounts.push_back(place(Mount::Kind::Devices, Purpose::Device, "/dev", 0755));
    plan.mounts.push_back(place(Mount::Kind::Processes, Purpose::Device, "/proc", 0555));
    add_terminal(facts, plan);
    add_temp(policy, facts, plan);
}

std::vector<Mount> private_masks(const std::vector<std::string>& found, const Plan& plan) {
    return masks_of(found, "not readable by every user of this machine", plan);
}

void finish_system(const Policy& policy, const HostFacts& facts, Plan& plan) {
    hide(private_masks(facts.linux_.system_hidden, plan), plan);
    plan.private_roots = facts.linux_.private_roots;
    hide(masks_of(facts.linux_.proc_hidden, "root could change the machine through it", plan), plan);
    // /var/tmp shares the private /tmp, which costs no mount, unless something is to be seen below it.
    bool used = std::any_of(plan.mounts.begin(), plan.mounts.end(),
                            [](const Mount& mount) { return path_within(mount.destination, "/var/tmp"); });
    if (!used && !shows_system(facts, "/var")) {
        plan.mounts.push_back(link("../tmp", "/var/tmp"));
        return;
    }
    Mount temp = place(Mount::Kind::Tmpfs, Purpose::Temp, "/var/tmp", 01777);
    temp.size = static_cast<uint64_t>(policy.limits.tmp_size.value.value_or(0));
    plan.mounts.push_back(temp);
}

std::string generated_git_config(const HostFacts& facts) {
    std::vector<GitConfigEntry> entries;
    for (const auto& [key, value] : facts.git_identity) {
        size_t dot = key.find('.');
        entries.push_back({key.substr(0, dot), {}, key.substr(dot + 1), value});
    }
    bool worktrees = facts.git && std::any_of(facts.git_directories.begin(), facts.git_directories.end(),
                                              [&](const GitDirectory& directory) {
                                                  return path_parent(directory.path) ==
                                                         path_join(facts.git->common_dir, "worktrees");
                                              });
    if (worktrees) {
        // The other worktrees cannot be seen inside: git gc would take them for removed, and tidy up.
        entries.push_back({"gc", {}, "worktreepruneexpire", "never"});
    }
    std::stable_sort(entries.begin(), entries.end(),
                     [](const auto& a, const auto& b) { return a.section < b.section; });
    return entries.empty() ? "" : write_git_config(entries);
}

namespace {

void add_git_settings(const Policy& policy, const HostFacts& facts, Plan& plan) {
    std::string settings = policy.git_config.value == GitConfigMode::Identity ? generated_git_config(facts) : "";
    if (!settings.empty()) {
        Mount file = place(Mount::Kind::File, Purpose::Home, path_join(plan.home, ".gitconfig"), 0600);
        file.data = std::move(settings);
        file.rule = "sandbox.gitConfig";
        plan.mounts.push_back(file);
    }
}

}  // namespace

void add_home(const Policy& policy, const HostFacts& facts, Plan& plan) {
    if (policy.home.value == HomeMode::Host) {
        Mount home = read_only(facts.home, "sandbox.home");
        home.purpose = Purpose::Home;
        home.access = Access::Write;
        home.origin = policy.home.origin;
        plan.mounts.push_back(home);
        return;
    }
    if (policy.home.value == HomeMode::Persistent) {
        return;
    }
    Mount home = place(Mount::Kind::Tmpfs, Purpose::Home, plan.home, 0700);
    home.size = static_cast<uint64_t>(policy.limits.tmp_size.value.value_or(0));
    home.rule = "sandbox.home";
    home.origin = policy.home.origin;
    plan.mounts.push_back(home);
    add_git_settings(policy, facts, plan);
}

std::string persistent_home(const HostFacts& facts, const Plan& plan, const std::string& id) {
    auto state = facts.paths.find(facts.state_dir);
    const std::string& directory = state == facts.paths.end() ? facts.state_dir : state->second.resolved;
    // With the sum it still is a file name, however long the folder's is.
    std::string own = path_name(plan.worktree).substr(0, 64) + "-" + sha256_hex(plan.worktree).substr(0, 12);
    std::string name = id.empty() ? own : id;
    return path_join(path_join(directory, "sandbox"), name);
}

void add_kept_home(const Policy& policy, const HostFacts& facts, const std::string& id, Plan& plan) {
    if (policy.home.value != HomeMode::Persistent || plan.backend == Backend::Native) {
        return;
    }
    Mount home = place(Mount::Kind::Kept, Purpose::Home, plan.home, 0700);
    home.source = persistent_home(facts, plan, id);
    home.rule = "sandbox.home";
    home.origin = policy.home.origin;
    plan.create.push_back(home.source);
    plan.mounts.push_back(home);
    add_git_settings(policy, facts, plan);
}

void order_mounts(Plan& plan) {
    auto rank = [](const Mount& mount) {
        switch (mount.purpose) {
            case Purpose::Pin: return 1;
            case Purpose::Guard: return 2;
            case Purpose::Policy: return 3;
            case Purpose::Mask: return 4;
            default: return 0;
        }
    };
    std::stable_sort(plan.mounts.begin(), plan.mounts.end(), [&](const Mount& a, const Mount& b) {
        int first = rank(a);
        int second = rank(b);
        if (first != second) {
            return first < second;
        }
        return path_depth(a.destination) < path_depth(b.destination);
    });
}

const Mount* writable_root(const Plan& plan, const std::string& path) {
    const Mount* found = nullptr;
    for (const Mount& mount : plan.mounts) {
        bool root = mount.kind == Mount::Kind::Bind && mount.access == Access::Write && mount.purpose != Purpose::Pin;
        if (root && path_within(path, mount.destination) &&
            (found == nullptr || path_within(mount.destination, found->destination))) {
            found = &mount;
        }
    }
    return found;
}

}  // namespace sbx
