#include "plan/mac_handover.h"

#include <algorithm>
#include <set>

#include "hold/names.h"
#include "plan/mounts.h"
#include "util/text.h"

namespace sbx {
namespace {

std::vector<std::string> writable_roots(const Plan& plan) {
    std::vector<std::string> roots;
    for (const Mount& mount : plan.mounts) {
        bool grant = mount.purpose == Purpose::Worktree || mount.purpose == Purpose::WriteGrant;
        if (mount.kind == Mount::Kind::Bind && mount.access == Access::Write && mount.is_directory && grant) {
            roots.push_back(mount.destination);
        }
    }
    return roots;
}

std::set<std::string> folders_where_tools_look(const HostFacts& facts, const Plan& plan) {
    std::set<std::string> folders;
    for (const std::string& root : writable_roots(plan)) {
        folders.insert(root);
        if (path_within(plan.cwd, root)) {
            for (std::string at = plan.cwd; at != root; at = path_parent(at)) {
                folders.insert(at);
            }
        }
    }
    for (const std::string& repository : facts.scan.repositories) {
        folders.insert(path_parent(repository));
    }
    for (const HandoverMatch& match : facts.scan.handover) {
        folders.insert(path_parent(match.path));
    }
    return folders;
}

}  // namespace

void add_mac_handover(const Policy& policy, const HostFacts& facts, Plan& plan) {
    struct Name {
        std::string name;
        const char* key;
        const Origin& origin;
    };
    std::vector<Name> names;
    if (policy.guards.handover.value == Handover::Protect) {
        for (const std::string& name : hold::handover_paths()) {
            names.push_back({name, "guards.handover", policy.guards.handover.origin});
        }
    }
    GuardWhen when = policy.guards.instructions.value;
    if (when == GuardWhen::Always || (when == GuardWhen::Tainted && plan.tainted)) {
        for (const std::string& name : hold::instruction_paths()) {
            names.push_back({name, "guards.instructions", policy.guards.instructions.origin});
        }
    }
    if (names.empty()) {
        return;
    }
    std::set<std::string> taken;
    for (const Mount& mount : plan.mounts) {
        if (mount.purpose == Purpose::Guard || mount.purpose == Purpose::Mask) {
            taken.insert(mount.destination);
        }
    }
    for (const std::string& folder : folders_where_tools_look(facts, plan)) {
        for (const Name& name : names) {
            std::string path = path_join(folder, name.name);
            if (writable_root(plan, path) == nullptr || !taken.insert(path).second) {
                continue;
            }
            Mount guard;
            guard.purpose = Purpose::Guard;
            guard.source = guard.destination = path;
            guard.rule = std::string(name.key) + ", also while the name is free";
            guard.origin = name.origin;
            plan.mounts.push_back(guard);
        }
    }
}

}  // namespace sbx
