// The denied patterns, made ready for a walk over a million names. Pure; no allocation per name.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "policy/policy.h"

namespace sbx {

/// mask_patterns() of a policy, with the meaning of pattern_denies() (C7).
class ScanPatterns {
  public:
    explicit ScanPatterns(const Zones& zones);

    /// The text of the first pattern that hides the entry `name` of the folder `parent` (absolute, no
    /// slash at the end); nullptr when none does. What lies below a match is hidden with it: the
    /// caller does not look there.
    const std::string* match(std::string_view parent, std::string_view name) const;

  private:
    struct Pattern {
        std::string text;                       ///< as written
        std::vector<std::string> components;    ///< folded; without a last `*` that means "all in here"
        bool exempting = false;                 ///< names of zones.exempt and their kin are left alone
        bool but_direnv = false;
    };
    using Bucket = std::vector<uint32_t>;

    bool matches(const Pattern& pattern, std::string_view parent, std::string_view folded) const;
    void search(const Bucket& bucket, std::string_view parent, std::string_view folded, size_t& best) const;
    void add(Pattern pattern);

    Zones zones_;
    std::vector<Pattern> patterns_;
    // By a byte that a matching name must begin or else end with, so that most names cost two look-ups.
    std::array<Bucket, 256> by_first_;
    std::array<Bucket, 256> by_last_;
    Bucket always_;
};

}  // namespace sbx
