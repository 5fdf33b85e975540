#include "plan/query.h"

#include <algorithm>
#include <string_view>

#include "util/text.h"

namespace sbx {
namespace {

constexpr int kMaxLinks = 40;

constexpr std::string_view kDevices[] = {"null", "zero",  "full",   "random", "urandom", "tty", "ptmx", "pts",
                                         "shm",  "stdin", "stdout", "stderr", "fd",      "console", "core"};

/// The last mount of the list that covers `path`: later ones lie over earlier ones. A pin binds a
/// directory with all that is mounted below it, so it changes nothing for what lies there.
const Mount* covering(const Plan& plan, const std::string& path) {
    const Mount* found = nullptr;
    for (const Mount& mount : plan.mounts) {
        if (mount.purpose != Purpose::Pin && path_within(path, mount.destination)) {
            found = &mount;
        }
    }
    return found;
}

/// True when a mount point lies below `path`, so that it exists as a directory inside, and nothing that
/// was mounted later hides it. `over`: what covers `path` itself.
bool leads_to_mount(const Plan& plan, const std::string& path, const Mount* over) {
    return std::any_of(plan.mounts.begin(), plan.mounts.end(), [&](const Mount& mount) {
        bool later = over == nullptr || over->kind != Mount::Kind::Mask || &mount > over;
        return later && mount.destination != path && path_within(mount.destination, path);
    });
}

PathAnswer answer(bool visible, bool readable, bool writable, const Mount* mount) {
    PathAnswer result;
    result.visible = visible;
    result.readable = readable;
    result.writable = writable;
    result.mount = mount;
    return result;
}

PathAnswer device_answer(const std::string& path, const Mount& mount) {
    if (path == mount.destination) {
        return answer(true, true, false, &mount);
    }
    std::string name = path_components(path.substr(mount.destination.size())).front();
    bool known = std::find(std::begin(kDevices), std::end(kDevices), name) != std::end(kDevices);
    return answer(known, known, known, &mount);
}

PathAnswer query(const Plan& plan, const std::string& path, int links);

PathAnswer through_link(const Plan& plan, const std::string& path, const Mount& mount, int links) {
    if (links >= kMaxLinks) {
        return answer(true, false, false, &mount);
    }
    bool absolute = !mount.source.empty() && mount.source.front() == '/';
    std::string target = absolute ? mount.source : path_join(path_parent(mount.destination), mount.source);
    std::string rest = path.substr(mount.destination.size());
    return query(plan, path_normalise(rest.empty() ? target : path_join(target, rest)), links + 1);
}

PathAnswer query(const Plan& plan, const std::string& path, int links) {
    const Mount* mount = covering(plan, path);
    bool on_the_way = leads_to_mount(plan, path, mount);
    if (mount == nullptr) {
        return answer(on_the_way, on_the_way, false, nullptr);
    }
    bool itself = path == mount->destination;
    switch (mount->kind) {
        case Mount::Kind::Bind: return answer(true, true, mount->access == Access::Write, mount);
        case Mount::Kind::Pinned:
        case Mount::Kind::Symlink: return through_link(plan, path, *mount, links);
        case Mount::Kind::Devices: return device_answer(path, *mount);
        case Mount::Kind::Processes: return answer(true, true, false, mount);
        case Mount::Kind::Mask: return answer(itself || on_the_way, false, false, mount);
        case Mount::Kind::File: return answer(itself, itself, false, mount);
        case Mount::Kind::Terminal: return answer(itself, itself, itself, mount);
        case Mount::Kind::Tmpfs:
        case Mount::Kind::Kept:
        case Mount::Kind::Directory: break;
    }
    // A private place: what the host has there is absent. What is written there reaches no host file.
    bool exists = itself || on_the_way;
    return answer(exists, exists, false, mount);
}

}  // namespace

PathAnswer query_path(const Plan& plan, const std::string& path) {
    if (plan.backend == Backend::Native) {
        return answer(true, true, true, nullptr);
    }
    return query(plan, path, 0);
}

bool query_bind(const Plan& plan, uint16_t port) {
    if (plan.backend == Backend::Native) {
        return true;
    }
    // F41: on a Mac 4040 stays closed whatever the policy says.
    bool reserved = plan.backend == Backend::SandboxExec && port == 4040;
    if (plan.network.mode == NetworkMode::Off || reserved) {
        return false;
    }
    const auto& ports = plan.network.ports;
    if (!ports.empty()) {
        return std::find(ports.begin(), ports.end(), port) != ports.end();
    }
    return port != 4040 || plan.network.allow_4040;
}

const EnvironmentEntry* query_environment(const Plan& plan, const std::string& name) {
    for (const EnvironmentEntry& entry : plan.environment) {
        if (entry.name == name) {
            return &entry;
        }
    }
    return nullptr;
}

}  // namespace sbx
