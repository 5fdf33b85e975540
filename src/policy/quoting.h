// Lines of a policy as messages may show them: without the value of any variable (T90).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "policy/schema.h"

namespace sbx {

struct QuotedLine {
    std::string text;     ///< empty: nothing of the line may be shown
    uint32_t column = 0;  ///< where the caret goes, 1-based, in bytes
};

/// Knows the lines of one policy. Of a line of a known key all is shown; of anything that could be, or be
/// meant as, the value of a variable only what stands before the value. Goes by the text alone, so it
/// works for files that are not TOML as well.
class LineQuoter {
  public:
    /// `text` must outlive the quoter.
    explicit LineQuoter(std::string_view text);

    /// Line `number` (1-based), for a caret at `column`. Empty for lines too long to be shown.
    QuotedLine operator()(uint32_t number, uint32_t column) const;

  private:
    struct Line {
        std::string_view text;
        const Key* key = nullptr;  ///< that its value belongs to; nullptr: unknown
    };
    std::vector<Line> lines_;
};

}  // namespace sbx
