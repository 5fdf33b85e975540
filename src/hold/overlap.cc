#include "hold/overlap.h"

#include <fcntl.h>

#include "hold/rules.h"
#include "util/fd.h"
#include "util/text.h"

namespace sbx::hold {

void add_pending(const Record& other, const std::string& root, Overlay& overlay) {
    Fd directory(open(other.place.root.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!directory.valid()) {
        return;
    }
    SnapshotOptions options = options_for(other.plan);
    options.before = &other.before.files;
    Snapshot now = take_snapshot(directory.get(), other.place.root, options);
    std::vector<Change> changes = judge(other.plan, other.before.files, now);
    leave_read_only(other.plan, other.place.root, changes);
    for (const Change& change : changes) {
        std::string path = path_join(other.place.root, change.path);
        bool undone = change.verdict == Change::Verdict::Hold && path != root && path_within(path, root);
        if (undone) {
            overlay[path.substr(root.size() + 1)] =
                change.before != nullptr ? std::optional<Item>(*change.before) : std::nullopt;
        }
    }
}

}  // namespace sbx::hold
