#include "vm/render/mounts.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "util/text.h"

namespace sbx::vm {
namespace {

constexpr std::array<std::string_view, 11> kGuestSystem = {"/proc", "/sys", "/dev",   "/usr", "/bin", "/sbin",
                                                           "/lib",  "/etc", "/lib64", "/run", "/sbx"};

bool is_grant(const Mount& mount) {
    switch (mount.purpose) {
        case Purpose::Worktree:
        case Purpose::Git:
        case Purpose::ReadGrant:
        case Purpose::WriteGrant: return mount.kind == Mount::Kind::Bind;
        case Purpose::Home: return mount.kind == Mount::Kind::Bind || mount.kind == Mount::Kind::Kept;
        default: return false;
    }
}

bool is_protection(const Mount& mount) {
    return mount.purpose == Purpose::Pin || mount.purpose == Purpose::Guard ||
           mount.purpose == Purpose::Policy || mount.purpose == Purpose::Mask;
}

Error unusable(const std::string& path, const std::string& reason) {
    return Error{"invalid_path", printable_line(path) + ": " + reason, ""};
}

Result<void> check_destination(const std::string& path) {
    if (path.empty() || path.front() != '/' || path == "/" || path == "/tmp") {
        return unusable(path, "cannot be the place of a folder in the guest");
    }
    for (auto system : kGuestSystem) {
        if (path_within(path, system)) {
            return unusable(path, "would cover the guest's own " + std::string(system));
        }
    }
    return {};
}

Result<void> add_file(const std::string& source, const std::string& destination, ContainerLaunch& launch) {
    SBX_CHECK(check_destination(destination));
    if (destination.find(':') != std::string::npos) {
        return unusable(destination, "Apple's container tool cannot place a file at a path with ':'");
    }
    launch.files.push_back({source, destination});
    return {};
}

/// An empty tmpfs that not even its owner may enter.
Result<void> add_folder_mask(const std::string& destination, ContainerLaunch& launch) {
    if (destination.find_first_of(",=") != std::string::npos) {
        return unusable(destination, "Apple's container tool cannot mask a path with ',' or '='");
    }
    launch.options.insert(launch.options.end(),
                          {"--mount", "type=tmpfs,target=" + destination + ",mode=0000"});
    return {};
}

Result<void> add_mount(const Mount& mount, ContainerLaunch& launch) {
    switch (mount.kind) {
        case Mount::Kind::Mask:
            return mount.is_directory ? add_folder_mask(mount.destination, launch)
                                      : add_file("", mount.destination, launch);
        case Mount::Kind::Bind:
        case Mount::Kind::Kept: break;
        default:
            return Error{"vm_mount",
                         printable_line(mount.destination) + ": the container backend cannot protect this (" +
                             mount.rule + ")",
                         "use another backend, or change the rule"};
    }
    if (mount.is_directory) {
        return add_folder(mount.source, mount.destination, mount.access, launch);
    }
    if (mount.access == Access::Write) {
        return Error{
            "vm_mount",
            printable_line(mount.destination) + ": the container backend shares a single file read-only only",
            "grant the folder that it lies in, or the file for reading"};
    }
    return add_file(mount.source, mount.destination, launch);
}

}  // namespace

bool is_shared(const Plan& plan, const std::string& path) {
    return std::any_of(plan.mounts.begin(), plan.mounts.end(), [&](const Mount& mount) {
        return is_grant(mount) && path_within(path, mount.destination);
    });
}

Result<void> add_folder(const std::string& source, const std::string& destination, Access access,
                        ContainerLaunch& launch) {
    SBX_CHECK(check_destination(destination));
    for (const auto* path : {&source, &destination}) {
        // The tool splits the option at commas and each part at its equals signs, and has no quoting.
        if (path->find_first_of(",=") != std::string::npos) {
            return unusable(*path, "Apple's container tool cannot share a path with ',' or '='");
        }
    }
    launch.folders.push_back(source);
    std::string option = "type=bind,source=" + source + ",target=" + destination;
    launch.options.insert(launch.options.end(),
                          {"--mount", access == Access::Read ? option + ",readonly" : option});
    return {};
}

Result<void> add_plan_mounts(const Plan& plan, ContainerLaunch& launch) {
    std::vector<const Mount*> wanted;
    for (const Mount& mount : plan.mounts) {
        if (!is_grant(mount) && !(is_protection(mount) && is_shared(plan, mount.destination))) {
            continue;
        }
        // The tool shares each source once and the last one's access wins: keep the last one only.
        wanted.erase(
            std::remove_if(wanted.begin(), wanted.end(),
                           [&](const Mount* other) { return other->destination == mount.destination; }),
            wanted.end());
        wanted.push_back(&mount);
    }
    for (const Mount* mount : wanted) {
        bool doubled = std::any_of(wanted.begin(), wanted.end(), [&](const Mount* other) {
            return other != mount && other->kind == Mount::Kind::Bind && mount->kind == Mount::Kind::Bind &&
                   other->source == mount->source;
        });
        if (doubled) {
            return unusable(mount->source, "would be shared twice, at different places");
        }
        SBX_CHECK(add_mount(*mount, launch));
    }
    return {};
}

}  // namespace sbx::vm
