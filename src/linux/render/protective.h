// Which mounts of a Plan are made by sbx itself, inside the finished sandbox, instead of by bwrap. Pure.
//
// bwrap walks every destination by name, and follows links that lie below a writable root (the class of
// CVE-2026-87766). It also reads the whole mount table again for each mount, so its time grows with the
// square of their number. So everything that lies inside a directory of the host is left out of bwrap's
// arguments: a helper process mounts it afterwards, never following a link, before the command starts.
#pragma once

#include <string>
#include <vector>

#include "plan/plan.h"

namespace sbx {

/// A mount on top of something that the sandbox shows already.
struct ProtectiveMount {
    enum class Kind {
        ReadOnly,       ///< onto itself, read-only
        Writable,       ///< onto itself, writable also when what it lies in is read-only
        Pin,            ///< onto itself, unchanged: what is a mount cannot be renamed
        MaskFile,       ///< opening it fails
        MaskDirectory,  ///< an empty directory that nobody may enter
        Link,           ///< a symbolic link, onto itself
        KeptHome        ///< what bwrap has put at kStagedHome, below all that was mounted in the home so far
    };
    Kind kind = Kind::ReadOnly;
    std::string path;          ///< absolute, without links but for the last component of a Link
    bool is_directory = false;
    bool guard = false;        ///< git and the host obey this file: it must not change behind the mount
    bool may_be_gone = false;  ///< nothing is lost when it does not exist any more

    /// Of a KeptHome: what bwrap mounted in the empty home, to be put into the kept one.
    struct Inner {
        std::string path;          ///< absolute
        bool is_directory = false;
        std::string link;          ///< not empty: no mount, but a symbolic link with this text
    };
    std::vector<Inner> inner;
    std::string source;            ///< on the host, for messages
};

/// Where bwrap mounts the home that is kept. It cannot mount it at its place: what the command of an
/// earlier run left there would lie on the way to everything that is to be mounted inside.
inline constexpr const char* kStagedHome = "/run/.sbx-home";

struct MountSplit {
    std::vector<const Mount*> by_bwrap;       ///< point into the plan
    std::vector<ProtectiveMount> afterwards;  ///< in the order in which they must be made
};

MountSplit split_mounts(const Plan& plan);

/// One that is known only when the plan is rendered already: see private_masks() and guards_for().
ProtectiveMount protective_mount(const Mount& mount);

/// One line each, for --dry-run.
std::string describe(const ProtectiveMount& mount);

}  // namespace sbx
