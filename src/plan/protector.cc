#include "plan/protector.h"

#include "util/text.h"

namespace sbx {

Protector::Protector(Plan& plan, const HostFacts& facts) : plan_(plan), facts_(facts) {
    for (const Mount& mount : plan.mounts) {
        if (mount.kind == Mount::Kind::Bind) {
            layers_.push_back({mount.destination, mount.access == Access::Write});
        } else if (mount.kind == Mount::Kind::Tmpfs || mount.kind == Mount::Kind::Kept) {
            layers_.push_back({mount.destination, false});
        }
    }
}

const Protector::Layer* Protector::layer_of(const std::string& path) const {
    const Layer* found = nullptr;
    for (const Layer& layer : layers_) {
        if (path_within(path, layer.path) && (found == nullptr || layer.path.size() >= found->path.size())) {
            found = &layer;
        }
    }
    return found;
}

std::string Protector::writable_root(const std::string& path) const {
    const Layer* layer = layer_of(path);
    return layer != nullptr && layer->writable ? layer->path : "";
}

void Protector::pin_ancestors(const std::string& path, const Origin& origin, const std::string& rule) {
    std::string root = writable_root(path_parent(path));
    if (root.empty()) {
        return;
    }
    for (std::string at = path_parent(path); at.size() > root.size(); at = path_parent(at)) {
        if (!pinned_.insert(at).second) {
            return;  // and with it all above
        }
        add(Mount::Kind::Bind, Purpose::Pin, at, true, origin, rule).access = Access::Write;
    }
}

bool Protector::guard(const std::string& named, FileKind kind, const Origin& origin, const std::string& rule) {
    std::string path = named;
    if (kind == FileKind::Symlink) {
        auto parent = facts_.paths.find(path_parent(named));
        path = parent == facts_.paths.end() ? named : path_join(parent->second.resolved, path_name(named));
        auto target = facts_.paths.find(named);
        if (target != facts_.paths.end() && target->second.resolved != path) {
            guard(target->second.resolved, target->second.kind, origin, rule);
        }
    }
    if (kind == FileKind::Missing || writable_root(path).empty() || !guarded_.insert(path).second) {
        return false;
    }
    pin_ancestors(path, origin, rule);
    Mount::Kind how = kind == FileKind::Symlink ? Mount::Kind::Pinned : Mount::Kind::Bind;
    add(how, Purpose::Guard, path, kind == FileKind::Directory, origin, rule);
    return true;
}

void Protector::pin_link(const std::string& path, const Origin& origin, const std::string& rule) {
    if (!writable_root(path).empty() && guarded_.insert(path).second) {
        pin_ancestors(path, origin, rule);
        add(Mount::Kind::Pinned, Purpose::Guard, path, false, origin, rule);
    }
}

void Protector::mask(const Mount& mask) {
    if (!masked_.insert(mask.destination).second) {
        return;
    }
    pin_ancestors(mask.destination, mask.origin, mask.rule);
    plan_.mounts.push_back(mask);
}

Mount& Protector::add(Mount::Kind kind, Purpose purpose, const std::string& path, bool is_directory,
                      const Origin& origin, const std::string& rule) {
    Mount mount;
    mount.kind = kind;
    mount.purpose = purpose;
    mount.source = mount.destination = path;
    mount.is_directory = is_directory;
    mount.origin = origin;
    mount.rule = rule;
    plan_.mounts.push_back(std::move(mount));
    return plan_.mounts.back();
}

}  // namespace sbx
