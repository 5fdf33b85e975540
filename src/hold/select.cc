#include "hold/select.h"

#include <algorithm>

#include "util/text.h"

namespace sbx::hold {
namespace {

bool is_directory(const Held& held, const std::string& path) {
    auto before = held.before.find(path);
    auto after = held.after.find(path);
    return (before == held.before.end() || before->second.kind == Item::Kind::Directory) &&
           (after == held.after.end() || after->second.kind == Item::Kind::Directory);
}

}  // namespace

Result<std::vector<Selected>> load_selected(const Selection& selection) {
    bool around = selection.paths.empty() && !selection.everywhere;
    SBX_ASSIGN(std::vector<Held> all, load(selection.state_directory, around ? selection.cwd : ""));
    std::vector<std::string> wanted;
    for (const std::string& path : selection.paths) {
        bool absolute = !path.empty() && path.front() == '/';
        wanted.push_back(path_normalise(absolute ? path : path_join(selection.cwd, path)));
    }
    std::vector<bool> met(wanted.size(), false);
    std::vector<Selected> selected;
    for (Held& held : all) {
        Selected one;
        for (const std::string& path : held.paths()) {
            std::string full = path_join(held.root, path);
            bool meant = wanted.empty();
            for (size_t i = 0; i < wanted.size(); ++i) {
                if (path_within(full, wanted[i])) {
                    meant = met[i] = true;
                }
            }
            if (meant) {
                one.paths.push_back(path);
            }
        }
        if (!one.paths.empty()) {
            one.held = std::move(held);
            selected.push_back(std::move(one));
        }
    }
    for (size_t i = 0; i < wanted.size(); ++i) {
        if (!met[i]) {
            return Error{"not_held", printable_line(selection.paths[i]) + " is not held",
                         "sbx held lists what is"};
        }
    }
    return selected;
}

ChangeKind kind_of_change(const Held& held, const std::string& path) {
    return held.before.count(path) == 0  ? ChangeKind::Created
           : held.after.count(path) == 0 ? ChangeKind::Removed
                                         : ChangeKind::Changed;
}

std::vector<std::string> telling_paths(const Held& held, const std::vector<std::string>& paths) {
    std::vector<std::string> telling;
    for (const std::string& path : paths) {
        bool holds_others =
            is_directory(held, path) && std::any_of(paths.begin(), paths.end(), [&](const auto& other) {
                return other != path && path_within(other, path);
            });
        if (!holds_others) {
            telling.push_back(path);
        }
    }
    return telling;
}

}  // namespace sbx::hold
