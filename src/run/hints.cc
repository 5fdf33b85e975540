#include "run/hints.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

#include "host/resolve.h"
#include "plan/query.h"
#include "util/text.h"

namespace sbx {
namespace {

constexpr size_t kMostArguments = 200;

// Programs that do nothing with a path but change it, so that a read-only one is why they failed.
constexpr std::array<std::string_view, 14> kWriters = {"touch", "mkdir", "rmdir", "rm",    "unlink",   "mv",  "chmod",
                                                       "chown", "chgrp", "tee",   "shred", "truncate", "mkfifo", "ln"};

bool is_failure(const Outcome& outcome) {
    return outcome.kind == Outcome::Kind::NotFound || outcome.kind == Outcome::Kind::NotExecutable ||
           (outcome.kind == Outcome::Kind::Exited && outcome.value != 0);
}

/// The rule behind what is mounted at a path: "guards.git (built-in)".
std::string rule_of(const Mount& mount) { return mount.rule + " (" + mount.origin.text() + ")"; }

/// Where the caller's shell would have found `name`.
std::optional<std::string> found_outside(const HostFacts& facts, const std::string& name) {
    const std::string* path = facts.variable("PATH");
    if (path == nullptr || name.empty()) {
        return std::nullopt;
    }
    for (const auto& directory : split(*path, ':')) {
        std::string candidate = path_join(directory, name);
        if (!directory.empty() && directory.front() == '/' && access(candidate.c_str(), X_OK) == 0 &&
            look_at(candidate).kind == FileKind::File) {
            return candidate;
        }
    }
    return std::nullopt;
}

/// The path that a word of the command line is, or holds after '='; absolute.
std::optional<std::string> path_in(const std::string& word, const Plan& plan) {
    size_t equals = word.find('=');
    bool option = word.rfind('-', 0) == 0;
    if (option && equals == std::string::npos) {
        return std::nullopt;
    }
    std::string text = option ? word.substr(equals + 1) : word;
    if (text.find('/') == std::string::npos) {
        return std::nullopt;
    }
    return path_normalise(text.front() == '/' ? text : path_join(plan.cwd, text));
}

bool masked(const PathAnswer& answer) { return answer.mount != nullptr && answer.mount->purpose == Purpose::Mask; }

std::string not_seen(const std::string& path, const std::string& resolved, const PathAnswer& answer) {
    std::string text = printable_line(path) + " exists, but the command cannot ";
    if (masked(answer)) {
        return text + "read it: " + rule_of(*answer.mount);
    }
    bool named = answer.mount != nullptr && !answer.mount->rule.empty();
    std::string why = named ? rule_of(*answer.mount) : "nothing grants it";
    return text + "see it: " + why + "; --read " + shell_quote(printable_line(resolved)) + " would show it";
}

/// Why `resolved` cannot be changed inside although the caller could change it outside; "" when that is not so.
std::string read_only(const Plan& plan, const std::string& path, const std::string& resolved) {
    PathAnswer answer = query_path(plan, resolved);
    bool refused = answer.visible && answer.readable && !answer.writable && answer.mount != nullptr &&
                   answer.mount->kind == Mount::Kind::Bind && answer.mount->purpose != Purpose::System;
    if (!refused || access(resolved.c_str(), W_OK) != 0) {
        return "";
    }
    std::string text = printable_line(path) + " is read-only inside: " + rule_of(*answer.mount);
    if (answer.mount->rule == "guards.git" && path_name(resolved).rfind("config", 0) == 0) {
        return text + "; --allow-git-config would allow it for one run";
    }
    bool granted = answer.mount->purpose == Purpose::ReadGrant || answer.mount->purpose == Purpose::Toolchain;
    return granted ? text + "; --write " + shell_quote(printable_line(resolved)) + " would allow it" : text;
}

/// `git config` ends with 4 exactly when it could not write the file.
std::string git_config_hint(const Plan& plan, const Outcome& outcome) {
    constexpr int kCannotWrite = 4;
    if (path_name(plan.argv.front()) != "git" || outcome.kind != Outcome::Kind::Exited ||
        outcome.value != kCannotWrite || std::find(plan.argv.begin(), plan.argv.end(), "config") == plan.argv.end()) {
        return "";
    }
    for (const Mount& mount : plan.mounts) {
        if (mount.rule == "guards.git" && path_name(mount.destination) == "config") {
            return read_only(plan, mount.destination, mount.destination);
        }
    }
    return "";
}

}  // namespace

std::string find_hint(const Plan& plan, const HostFacts& facts, const Outcome& outcome) {
    if (!is_failure(outcome) || plan.argv.empty() || plan.backend == Backend::Native) {
        return "";
    }
    const std::string& program = plan.argv.front();
    if (program.find('/') == std::string::npos && outcome.kind == Outcome::Kind::NotFound) {
        auto outside = found_outside(facts, program);
        auto resolved = outside ? real_path(*outside) : std::nullopt;
        if (resolved) {
            PathAnswer answer = query_path(plan, *resolved);
            return answer.visible ? "" : not_seen(*outside, path_parent(*resolved), answer);
        }
        return "";
    }
    if (std::string hint = git_config_hint(plan, outcome); !hint.empty()) {
        return hint;
    }
    bool writer = std::find(kWriters.begin(), kWriters.end(), path_name(program)) != kWriters.end();
    for (size_t i = 0; i < plan.argv.size() && i < kMostArguments; ++i) {
        auto path = path_in(plan.argv[i], plan);
        auto resolved = path ? real_path(*path) : std::nullopt;
        if (!resolved) {
            // A file that is to be made: the folder refuses it.
            auto folder = path && writer && i > 0 ? real_path(path_parent(*path)) : std::nullopt;
            if (std::string hint = folder ? read_only(plan, *folder, *folder) : ""; !hint.empty()) {
                return hint;
            }
            continue;
        }
        PathAnswer answer = query_path(plan, *resolved);
        bool kernel = path_within(*resolved, "/proc") || path_within(*resolved, "/dev");
        if ((!answer.visible && !kernel) || (masked(answer) && !answer.readable)) {
            return not_seen(*path, *resolved, answer);
        }
        if (std::string hint = writer && i > 0 ? read_only(plan, *path, *resolved) : ""; !hint.empty()) {
            return hint;
        }
    }
    return "";
}

}  // namespace sbx
