// Runs that are live at the same time in folders of which one lies in the other, or with different policies
// in one folder. Each would take what another's command planted for the user's, and put it back when the
// other has long removed it.
#pragma once

#include <string>

#include "hold/record.h"
#include "hold/snapshot.h"

namespace sbx::hold {

/// Adds to `overlay` what the live run of `other` would do below `root` if it ended now: paths relative to
/// `root`, with what it would put back, or nothing where it would take away what is there.
void add_pending(const Record& other, const std::string& root, Overlay& overlay);

}  // namespace sbx::hold
