#include "policy/patterns.h"

#include "util/text.h"

namespace sbx {
namespace {

constexpr std::string_view kDenied[] = {".ssh/*", ".aws/*", ".git/*", "*.key", "*.pem", ".env*", "known_hosts",
                                        "authorized_keys"};
constexpr std::string_view kGitPattern = ".git/*";

// Files that are made to be read and committed.
constexpr std::string_view kExempt[] = {".env.example", ".env.sample", ".env.template", ".env.dist", ".env.defaults"};

/// `*` spans any bytes here: a component holds no slash.
bool component_matches(const std::string& pattern, const std::string& component) {
    return glob_match(pattern, component);
}

bool matches_at(const std::vector<std::string>& pattern, const std::vector<std::string>& path, size_t at) {
    if (at + pattern.size() > path.size()) {
        return false;
    }
    for (size_t i = 0; i < pattern.size(); ++i) {
        if (!component_matches(pattern[i], path[at + i])) {
            return false;
        }
    }
    return true;
}

}  // namespace

std::vector<DeniedPattern> denied_patterns(const Zones& zones) {
    std::vector<DeniedPattern> patterns;
    for (std::string_view text : kDenied) {
        patterns.push_back({std::string(text), Origin::built_in()});
    }
    for (const NameEntry& entry : zones.denied) {
        patterns.push_back({entry.text, entry.origin});
    }
    return patterns;
}

std::vector<DeniedPattern> mask_patterns(const Zones& zones) {
    std::vector<DeniedPattern> patterns;
    for (DeniedPattern& pattern : denied_patterns(zones)) {
        bool git = pattern.text == kGitPattern && pattern.origin.kind == Origin::Kind::BuiltIn;
        if (!git || zones.mask_git.value) {
            patterns.push_back(std::move(pattern));
        }
    }
    return patterns;
}

bool is_exempt(const Zones& zones, std::string_view name) {
    std::string folded = lower(name);
    for (std::string_view exempt : kExempt) {
        if (folded == exempt) {
            return true;
        }
    }
    for (const NameEntry& entry : zones.exempt) {
        if (glob_match(lower(entry.text), folded)) {
            return true;
        }
    }
    return false;
}

bool pattern_denies(const Zones& zones, std::string_view pattern, std::string_view path) {
    std::vector<std::string> components = path_components(lower(path));
    std::vector<std::string> wanted = path_components(lower(pattern));
    bool one_name = wanted.size() == 1;
    if (wanted.size() > 1 && wanted.back() == "*") {
        wanted.pop_back();  // everything in X, and X itself: the same as X and what lies below
    }
    if (wanted.empty()) {
        return false;
    }
    for (size_t i = 0; i < components.size(); ++i) {
        if (matches_at(wanted, components, i) && !(one_name && is_exempt(zones, components[i]))) {
            return true;
        }
    }
    return false;
}

const DeniedPattern* denying_pattern(const Zones& zones, const std::vector<DeniedPattern>& patterns,
                                     std::string_view path) {
    for (const DeniedPattern& pattern : patterns) {
        if (pattern_denies(zones, pattern.text, path)) {
            return &pattern;
        }
    }
    return nullptr;
}

}  // namespace sbx
