// Harmless entries that stand inside a git directory while runs are live in it, so that the command can
// put nothing in their place.
//
// Runs that overlap share them: taking one away under another live sandbox would lift its guard. Which
// entries are sbx's own is written down before they are made, so that the next run clears up after a
// power failure, and a guardian after a kill.
#pragma once

#include <string>
#include <vector>

#include "plan/plan.h"
#include "util/fd.h"
#include "util/result.h"

namespace sbx::hold {

class Placeholders {
  public:
    /// Makes those that are missing. All of `wanted` lie in the git directory `git_directory`.
    static Result<Placeholders> acquire(const std::string& live_directory, const std::string& git_directory,
                                        const std::vector<Placeholder>& wanted);

    /// Removes what sbx made and nobody changed, unless another run lives.
    void release();

    int descriptor() const { return share_.get(); }

  private:
    std::string directory_;
    std::string name_;
    Fd share_;
};

}  // namespace sbx::hold
