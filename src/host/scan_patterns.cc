#include "host/scan_patterns.h"

#include "policy/patterns.h"
#include "util/text.h"

namespace sbx {
namespace {

constexpr size_t kLongestName = 255;
constexpr std::string_view kWildcards = "*?";

// direnv's file is a program that the host runs, not a secret: hold/ takes care of it.
constexpr std::string_view kDirenv = ".envrc";

unsigned char fold(char c) {
    return static_cast<unsigned char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

std::string_view folded_into(std::array<char, kLongestName>& buffer, std::string_view name) {
    for (size_t i = 0; i < name.size(); ++i) {
        buffer[i] = static_cast<char>(fold(name[i]));
    }
    return {buffer.data(), name.size()};
}

/// The last component of `path`, which is cut off from it.
std::string_view take_last(std::string_view& path) {
    size_t slash = path.rfind('/');
    std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
    path = slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
    return name;
}

}  // namespace

ScanPatterns::ScanPatterns(const Zones& zones) : zones_(zones) {
    for (const DeniedPattern& denied : mask_patterns(zones)) {
        Pattern pattern;
        pattern.text = denied.text;
        pattern.components = path_components(lower(denied.text));
        pattern.exempting = pattern.components.size() == 1;
        pattern.but_direnv = denied.origin.kind == Origin::Kind::BuiltIn;
        if (pattern.components.size() > 1 && pattern.components.back() == "*") {
            pattern.components.pop_back();
        }
        if (!pattern.components.empty()) {
            add(std::move(pattern));
        }
    }
}

void ScanPatterns::add(Pattern pattern) {
    uint32_t index = static_cast<uint32_t>(patterns_.size());
    std::string_view last = pattern.components.back();
    bool open_start = kWildcards.find(last.front()) != std::string_view::npos;
    bool open_end = kWildcards.find(last.back()) != std::string_view::npos;
    Bucket& bucket = !open_start ? by_first_[fold(last.front())] : !open_end ? by_last_[fold(last.back())] : always_;
    bucket.push_back(index);
    patterns_.push_back(std::move(pattern));
}

bool ScanPatterns::matches(const Pattern& pattern, std::string_view parent, std::string_view folded) const {
    if (!glob_match(pattern.components.back(), folded) || (pattern.but_direnv && folded == kDirenv)) {
        return false;
    }
    std::array<char, kLongestName> buffer;
    for (size_t i = pattern.components.size() - 1; i-- > 0;) {
        std::string_view above = take_last(parent);
        if (above.empty() || above.size() > kLongestName ||
            !glob_match(pattern.components[i], folded_into(buffer, above))) {
            return false;
        }
    }
    return !pattern.exempting || !is_exempt(zones_, folded);
}

void ScanPatterns::search(const Bucket& bucket, std::string_view parent, std::string_view folded,
                          size_t& best) const {
    for (uint32_t index : bucket) {
        if (index < best && matches(patterns_[index], parent, folded)) {
            best = index;
            return;
        }
    }
}

const std::string* ScanPatterns::match(std::string_view parent, std::string_view name) const {
    if (name.empty() || name.size() > kLongestName) {
        return nullptr;
    }
    const Bucket& first = by_first_[fold(name.front())];
    const Bucket& last = by_last_[fold(name.back())];
    if (first.empty() && last.empty() && always_.empty()) {
        return nullptr;
    }
    std::array<char, kLongestName> buffer;
    std::string_view folded = folded_into(buffer, name);
    size_t best = patterns_.size();
    search(first, parent, folded, best);
    search(last, parent, folded, best);
    search(always_, parent, folded, best);
    return best < patterns_.size() ? &patterns_[best].text : nullptr;
}

}  // namespace sbx
