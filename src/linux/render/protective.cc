#include "linux/render/protective.h"

#include "util/text.h"

namespace sbx {
namespace {

bool lies_on(const Mount& mount, const Mount& other) {
    return mount.destination != other.destination && path_within(mount.destination, other.destination);
}

/// What mounts lie in.
class Ground {
  public:
    explicit Ground(const Plan& plan) {
        for (const Mount& mount : plan.mounts) {
            bool layer = mount.kind == Mount::Kind::Bind || mount.kind == Mount::Kind::Tmpfs ||
                         mount.kind == Mount::Kind::Processes;
            if (layer && mount.purpose < Purpose::Policy) {
                layers_.push_back(&mount);
            }
        }
    }

    bool can_be_covered(const Mount& mount) const {
        const Mount* ground = nullptr;
        for (const Mount* layer : layers_) {
            if (lies_on(mount, *layer) && (ground == nullptr || lies_on(*layer, *ground))) {
                ground = layer;
            }
        }
        return ground != nullptr && ground->kind != Mount::Kind::Tmpfs;
    }

  private:
    // In what order bwrap and the helper work does not matter for /proc; on a tmpfs, bwrap makes the place.
    std::vector<const Mount*> layers_;
};

bool covered(const Ground& ground, const Mount& mount) {
    switch (mount.kind) {
        case Mount::Kind::Bind: return mount.source == mount.destination && ground.can_be_covered(mount);
        case Mount::Kind::Mask:
        case Mount::Kind::Pinned: return ground.can_be_covered(mount);
        default: return false;
    }
}

ProtectiveMount::Kind kind_of_mount(const Mount& mount) {
    using Kind = ProtectiveMount::Kind;
    switch (mount.kind) {
        case Mount::Kind::Mask: return mount.is_directory ? Kind::MaskDirectory : Kind::MaskFile;
        case Mount::Kind::Pinned: return Kind::Link;
        default: break;
    }
    if (mount.purpose == Purpose::Pin) {
        return Kind::Pin;
    }
    return mount.access == Access::Read ? Kind::ReadOnly : Kind::Writable;
}

const Mount* kept_home(const Plan& plan) {
    for (const Mount& mount : plan.mounts) {
        if (mount.kind == Mount::Kind::Kept) {
            return &mount;
        }
    }
    return nullptr;
}

/// The outermost of what bwrap puts into the empty home; what lies in those comes along with them.
std::vector<ProtectiveMount::Inner> mounted_in(const Mount& home, const std::vector<const Mount*>& by_bwrap) {
    std::vector<ProtectiveMount::Inner> found;
    for (const Mount* mount : by_bwrap) {
        bool covered_by_another = false;
        for (const auto& other : found) {
            covered_by_another = covered_by_another || path_within(mount->destination, other.path);
        }
        if (!lies_on(*mount, home) || covered_by_another) {
            continue;
        }
        bool link = mount->kind == Mount::Kind::Symlink;
        found.push_back({mount->destination, mount->is_directory, link ? mount->source : ""});
    }
    return found;
}

}  // namespace

ProtectiveMount protective_mount(const Mount& mount) {
    ProtectiveMount made;
    made.kind = kind_of_mount(mount);
    made.path = mount.destination;
    made.is_directory = mount.is_directory;
    made.may_be_gone = mount.may_be_gone || mount.kind == Mount::Kind::Mask;
    made.guard = mount.purpose == Purpose::Guard;
    return made;
}

MountSplit split_mounts(const Plan& plan) {
    Ground ground(plan);
    MountSplit split;
    const Mount* home = kept_home(plan);
    for (const Mount& mount : plan.mounts) {
        if (home != nullptr && mount.kind == Mount::Kind::File && lies_on(mount, *home)) {
            continue;  // written into the kept folder before the run: see run/folders.h
        }
        if (!covered(ground, mount)) {
            split.by_bwrap.push_back(&mount);
            continue;
        }
        split.afterwards.push_back(protective_mount(mount));
    }
    if (home != nullptr) {
        ProtectiveMount made;
        made.kind = ProtectiveMount::Kind::KeptHome;
        made.path = home->destination;
        made.is_directory = true;
        made.source = home->source;
        made.inner = mounted_in(*home, split.by_bwrap);
        split.afterwards.insert(split.afterwards.begin(), made);
    }
    return split;
}

std::string describe(const ProtectiveMount& mount) {
    const char* what = "read-only";
    switch (mount.kind) {
        case ProtectiveMount::Kind::ReadOnly: break;
        case ProtectiveMount::Kind::Writable: what = "writable"; break;
        case ProtectiveMount::Kind::Pin: what = "cannot be renamed"; break;
        case ProtectiveMount::Kind::MaskFile:
        case ProtectiveMount::Kind::MaskDirectory: what = "cannot be opened"; break;
        case ProtectiveMount::Kind::Link: what = "link, cannot be replaced"; break;
        case ProtectiveMount::Kind::KeptHome: what = "kept, below what is mounted in it"; break;
    }
    return "# then inside, before the command: " + shell_quote(mount.path) + ": " + what;
}

}  // namespace sbx
