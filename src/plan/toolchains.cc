#include <algorithm>

#include "host/gather.h"
#include "plan/mounts.h"
#include "util/text.h"

namespace sbx {
namespace {

/// Something mounted here or above shows what the machine has at `path`, or is in the way of a link.
bool shown(const Plan& plan, const std::string& path) {
    return std::any_of(plan.mounts.begin(), plan.mounts.end(), [&](const Mount& mount) {
        switch (mount.kind) {
            case Mount::Kind::Bind:
            case Mount::Kind::Devices:
            case Mount::Kind::Processes:
                // Below it the path is its own; above it bwrap makes a directory.
                return path_within(path, mount.destination) || path_within(mount.destination, path);
            default: return path_within(mount.destination, path);
        }
    });
}

}  // namespace

Result<void> add_toolchains(const Policy& policy, const HostFacts& facts, Plan& plan) {
    for (const PathEntry& entry : policy.toolchain_paths) {
        std::string path = expand_path(entry, facts);
        auto found = facts.paths.find(path);
        if (found == facts.paths.end() || found->second.kind == FileKind::Missing) {
            if (!entry.optional) {
                plan.notes.push_back(entry.origin.text() + ": " + printable_line(path) + " does not exist; skipped");
            }
        } else if (!facts.home.empty() && path_within(facts.home, found->second.resolved)) {
            return Error{"invalid_path",
                         entry.origin.text() + ": " + printable_line(path) + " holds the home directory",
                         "name the toolchain's own directory"};
        }
    }
    if (policy.home.value == HomeMode::Host) {
        return {};
    }
    for (const Toolchain& toolchain : facts.toolchains) {
        bool seen = std::any_of(plan.mounts.begin(), plan.mounts.end(), [&](const Mount& mount) {
            return mount.kind == Mount::Kind::Bind && path_within(toolchain.prefix, mount.destination);
        });
        if (seen) {
            continue;  // in the worktree, or granted anyway
        }
        Mount mount;
        mount.purpose = Purpose::Toolchain;
        mount.source = mount.destination = toolchain.prefix;
        mount.is_directory = toolchain.kind == FileKind::Directory;
        mount.origin = policy.toolchains_auto.origin;
        mount.rule = "sandbox.toolchains";
        plan.mounts.push_back(mount);
        for (const auto& path : toolchain.hidden) {
            Mount mask;
            mask.kind = Mount::Kind::Mask;
            mask.purpose = Purpose::Mask;
            mask.is_directory = path.back() == '/';
            mask.destination = mask.is_directory ? path.substr(0, path.size() - 1) : path;
            mask.rule = "credentials beside a toolchain";
            plan.mounts.push_back(mask);
        }
    }
    return {};
}

void add_links(const HostFacts& facts, Plan& plan) {
    for (const SystemPath& link : facts.links) {
        if (shown(plan, link.path)) {
            continue;
        }
        Mount mount;
        mount.kind = Mount::Kind::Symlink;
        mount.source = link.link_target;
        mount.destination = link.path;
        mount.rule = "a link that the caller's folder or PATH goes through";
        plan.mounts.push_back(mount);
    }
}

}  // namespace sbx
