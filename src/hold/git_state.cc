#include "hold/git_state.h"

#include <algorithm>
#include <array>
#include <set>

#include "util/git_config.h"
#include "util/text.h"

namespace sbx::hold {
namespace {

constexpr std::array<std::string_view, 6> kStrategies = {"ort", "recursive", "resolve", "octopus", "ours", "subtree"};

/// `git merge-NAME` is run for any other; with a slash in it that is a file of the worktree.
bool is_built_in(std::string_view strategy) {
    return std::find(kStrategies.begin(), kStrategies.end(), strategy) != kStrategies.end();
}

/// "exec make" and its short form, with whatever blanks before it.
bool runs_a_program(std::string_view line) {
    size_t start = line.find_first_not_of(" \t\v\f\r");
    line.remove_prefix(start == std::string_view::npos ? line.size() : start);
    std::string_view word = line.substr(0, line.find_first_of(" \t\v\f\r"));
    return word == "exec" || word == "x";
}

std::optional<std::string> disarmed_list(std::string_view before, std::string_view after) {
    std::multiset<std::string> known;
    for (std::string& line : split(before, '\n')) {
        known.insert(std::move(line));
    }
    std::string kept;
    bool armed = false;
    for (std::string_view rest = after; !rest.empty();) {
        size_t end = std::min(rest.find('\n'), rest.size() - 1);
        std::string line(rest.substr(0, end + 1));
        rest.remove_prefix(end + 1);
        std::string text = line.back() == '\n' ? line.substr(0, line.size() - 1) : line;
        if (runs_a_program(text)) {
            auto same = known.find(text);
            if (same == known.end()) {
                armed = true;
                continue;
            }
            known.erase(same);
        }
        kept += line;
    }
    return armed ? std::optional<std::string>(kept) : std::nullopt;
}

bool names_foreign_strategy(std::string_view options) {
    auto entries = parse_git_config(options);
    return !entries.ok() || std::any_of(entries->begin(), entries->end(), [](const GitConfigEntry& entry) {
        return git_config_key(entry) == "options.strategy" && !is_built_in(entry.value.value_or(""));
    });
}

}  // namespace

bool is_git_state(std::string_view folder, std::string_view name) {
    return (folder == "rebase-merge" && (name == "git-rebase-todo" || name == "strategy")) ||
           (folder == "sequencer" && name == "opts");
}

std::optional<std::string> disarmed_git_state(std::string_view name, std::string_view before, std::string_view after) {
    if (before == after) {
        return std::nullopt;
    }
    if (name == "git-rebase-todo") {
        return disarmed_list(before, after);
    }
    // git takes all of the file but for the ends of lines at its end.
    bool foreign = name == "opts" ? names_foreign_strategy(after)
                                  : !is_built_in(after.substr(0, after.find_last_not_of("\r\n") + 1));
    return foreign ? std::optional<std::string>("") : std::nullopt;
}

}  // namespace sbx::hold
