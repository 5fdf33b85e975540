#include "host/scan.h"

#include <algorithm>
#include <utility>

#include "host/resolve.h"
#include "host/tracked.h"
#include "host/walk.h"
#include "util/text.h"

namespace sbx {
namespace {

bool has_git_component(const std::string& path) {
    std::vector<std::string> components = path_components(path);
    return std::any_of(components.begin(), components.end(),
                       [](const std::string& name) { return lower(name) == ".git"; });
}

/// What links that match lead to, in place of the links. Not git's own files, and not a folder that the
/// link lies in: a link could otherwise hide the whole project.
void follow_links(const ScanRequest& request, std::vector<MaskMatch>& masks) {
    for (MaskMatch& match : masks) {
        if (match.kind != FileKind::Symlink) {
            continue;
        }
        std::string link = std::exchange(match.path, "");
        auto target = real_path(link);
        if (!target || path_within(link, *target) || has_git_component(*target)) {
            continue;
        }
        bool inside = std::any_of(request.roots.begin(), request.roots.end(), [&](const ScanRoot& root) {
            return *target != root.path && path_within(*target, root.path);
        });
        match.kind = kind_of(*target);
        if (inside && (match.kind == FileKind::File || match.kind == FileKind::Directory)) {
            match.path = *target;
        }
    }
    masks.erase(std::remove_if(masks.begin(), masks.end(), [](const MaskMatch& match) { return match.path.empty(); }),
                masks.end());
}

template <typename T>
void sort_by_path(std::vector<T>& matches) {
    std::sort(matches.begin(), matches.end(), [](const T& a, const T& b) { return a.path < b.path; });
}

/// Sorted, without what lies in a folder that is hidden anyway.
void sort_masks(std::vector<MaskMatch>& masks) {
    // With the slash before all other bytes, what lies in a folder comes right after it.
    auto rank = [](char c) { return c == '/' ? 0 : static_cast<unsigned char>(c) + 1; };
    std::sort(masks.begin(), masks.end(), [&](const MaskMatch& a, const MaskMatch& b) {
        return std::lexicographical_compare(a.path.begin(), a.path.end(), b.path.begin(), b.path.end(),
                                            [&](char x, char y) { return rank(x) < rank(y); });
    });
    std::vector<MaskMatch> kept;
    for (MaskMatch& match : masks) {
        if (kept.empty() || !path_within(match.path, kept.back().path)) {
            kept.push_back(std::move(match));
        }
    }
    masks = std::move(kept);
}

Error limit_error(const Scan& limits, WalkLimit limit) {
    std::string key = limit == WalkLimit::Time ? "scan.timeout" : "scan.maxEntries";
    std::string value = std::to_string(limit == WalkLimit::Time ? limits.timeout_ms.value : limits.max_entries.value);
    return Error{"scan_limit",
                 "the search for secrets reached " + key + " (" + value +
                     (limit == WalkLimit::Time ? " ms)" : " entries)"),
                 "grant a smaller folder, name folders to skip in scan.skip, raise " + key +
                     ", or accept it with scan.onLimit = \"note\""};
}

}  // namespace

Result<ScanFacts> scan_roots(const ScanRequest& request) {
    ScanPatterns patterns(request.zones);
    Walk walk(request, patterns);
    for (const ScanRoot& root : request.roots) {
        walk.run(root);
    }
    ScanFacts facts;
    Findings& found = walk.findings();
    facts.limit_reached = walk.limit() != WalkLimit::None;
    if (facts.limit_reached && request.limits.on_limit.value == ScanLimit::Error) {
        return limit_error(request.limits, walk.limit());
    }
    facts.entries = found.entries;
    facts.unreadable = found.unreadable;
    facts.masks = std::move(found.masks);
    facts.repositories = std::move(found.repositories);
    facts.handover = std::move(found.handover);
    follow_links(request, facts.masks);
    sort_masks(facts.masks);
    if (!facts.masks.empty() && !request.index.empty()) {
        mark_tracked(request.index, request.top_level, facts.masks);
    }
    sort_by_path(facts.masks);
    sort_by_path(facts.handover);
    std::sort(facts.repositories.begin(), facts.repositories.end());
    return facts;
}

}  // namespace sbx
