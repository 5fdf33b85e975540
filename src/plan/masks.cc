#include "plan/masks.h"

#include "policy/patterns.h"
#include "util/text.h"

namespace sbx {
namespace {

constexpr size_t kNamed = 3;

/// "a, b, c and 7 more"
class Names {
  public:
    void add(const std::string& path) {
        if (count_++ < kNamed) {
            text_ += (text_.empty() ? "" : ", ") + printable_line(path);
        }
    }
    bool any() const { return count_ > 0; }
    std::string text() const {
        return text_ + (count_ > kNamed ? " and " + std::to_string(count_ - kNamed) + " more" : "");
    }

  private:
    std::string text_;
    size_t count_ = 0;
};

Origin origin_of(const Zones& zones, const std::string& pattern) {
    for (const DeniedPattern& denied : mask_patterns(zones)) {
        if (denied.text == pattern) {
            return denied.origin;
        }
    }
    return Origin::built_in();
}

Result<void> check_complete(const Policy& policy, const ScanFacts& scan, Plan& plan) {
    if (scan.limit_reached) {
        std::string what = "the search for secrets ended after " + std::to_string(scan.entries) +
                           " entries (scan.maxEntries " + std::to_string(policy.scan.max_entries.value) +
                           ", scan.timeout " + std::to_string(policy.scan.timeout_ms.value) + " ms)";
        if (policy.scan.on_limit.value == ScanLimit::Error) {
            return Error{"scan_limit", what,
                         "grant a smaller folder, name folders to skip in scan.skip, raise the limit, or accept it "
                         "with scan.onLimit = \"note\""};
        }
        plan.notes.push_back(what + "; what it did not reach is not hidden");
    }
    if (scan.unreadable > 0) {
        std::string what = std::to_string(scan.unreadable) +
                           " directories could not be read; the guards are not complete";
        if (plan.tainted) {
            return Error{"scan_incomplete", what, "make them readable, or grant a folder without them"};
        }
        plan.notes.push_back(what);
    }
    return {};
}

}  // namespace

Result<void> add_masks(const Policy& policy, const HostFacts& facts, Plan& plan, Protector& protector) {
    SBX_CHECK(check_complete(policy, facts.scan, plan));
    Names tracked;
    Names linked;
    std::string last_pattern;
    Origin origin;
    for (const MaskMatch& match : facts.scan.masks) {
        if (is_exempt(policy.zones, path_name(match.path))) {
            continue;
        }
        if (match.tracked) {
            tracked.add(match.path);
            continue;
        }
        if (match.kind == FileKind::File && match.links > 1) {
            linked.add(match.path);
        }
        if (match.pattern != last_pattern) {
            last_pattern = match.pattern;
            origin = origin_of(policy.zones, match.pattern);
        }
        Mount mask;
        mask.kind = Mount::Kind::Mask;
        mask.purpose = Purpose::Mask;
        mask.destination = match.path;
        mask.is_directory = match.kind == FileKind::Directory;
        mask.may_be_gone = true;
        mask.origin = origin;
        mask.rule = match.pattern.empty() ? "cannot be read now" : "zones.denied " + match.pattern;
        protector.mask(mask);
    }
    if (tracked.any()) {
        plan.notes.push_back("tracked by git, so it stays readable: " + tracked.text());
    }
    if (linked.any()) {
        plan.notes.push_back("hidden, but with more than one hard link; another name may still show it: " +
                             linked.text());
    }
    return {};
}

}  // namespace sbx
