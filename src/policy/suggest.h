// "Did you mean".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sbx {

/// The candidate that `word` most likely stands for, or "". Letter case, `_` and `-` do not count
/// (allow_network, allow-network); after that at most a third of the letters may differ.
std::string nearest(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace sbx
