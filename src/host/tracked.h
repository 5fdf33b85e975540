// Which secrets are no secrets, because git has them.
#pragma once

#include <string>
#include <vector>

#include "host/facts.h"

namespace sbx {

/// Marks the matches that git's index at `index` (of the repository at `top_level`) lists *with the very
/// content that the file has now*: that content is in the repository for the command to read. A name in
/// the index alone proves nothing, because the command can write the index; it cannot name the object of
/// a content that it does not know. A folder with such files in it is replaced by its entries, one by one.
void mark_tracked(const std::string& index, const std::string& top_level, std::vector<MaskMatch>& masks);

}  // namespace sbx
