// Where languages and tools install themselves below the home, and what beside them is nobody's business.
#pragma once

#include <cstddef>

namespace sbx {

/// One kind of installation. All places are relative to the home; `*` stands for one component.
/// Lists are separated by blanks.
struct ToolchainRule {
    const char* name;
    const char* place;    ///< a PATH entry at or below this needs all of it
    const char* more;     ///< what it needs beside it, if it exists
    const char* caches;   ///< downloads that a run without network cannot fetch again; with network they
                          ///< stay out, because a read-only cache cannot take what is fetched
};

extern const ToolchainRule kToolchainRules[];
extern const size_t kToolchainRuleCount;

/// Places that hold credentials or private data: no toolchain may be one of them, lie in one, or hold one.
extern const char* const kPrivatePlaces[];
extern const size_t kPrivatePlaceCount;

/// Names in ~/.local/share that no link and no script in ~/.local/bin brings in.
extern const char* const kPrivateData[];
extern const size_t kPrivateDataCount;

/// Credentials that are hidden when they lie at this place below any bound directory.
extern const char* const kHiddenNames[];
extern const size_t kHiddenNameCount;

/// Credentials at a fixed place below the home, hidden when a bound directory holds them.
extern const char* const kHiddenPlaces[];
extern const size_t kHiddenPlaceCount;

}  // namespace sbx
