// Names that nothing may take while the command runs, and that are free on the host: `commondir` in a git
// directory would lead git to settings of the command's choice, and no honest program makes one there.
//
// A file that stands in for it would be a kernel's guarantee, but everybody would see it in .git for as
// long as the run lasts (guards.handover = "protect" has it nevertheless). So the name is watched: it is taken
// away, and the run ended, when it appears.
#pragma once

#include <string>
#include <vector>

#include "util/fd.h"
#include "util/result.h"

namespace sbx::hold {

class ReservedNames {
  public:
    /// `paths`: absolute, no link on the way. Error "setup_failed": a name is taken by now.
    static Result<ReservedNames> open(const std::vector<std::string>& paths);

    bool empty() const { return names_.empty(); }
    bool taken() const;

    /// Removes what has taken a name, whatever it is. Returns the paths, one for each.
    std::vector<std::string> clear() const;

    /// The directories that the names are in.
    std::vector<int> directories() const;

  private:
    struct Name {
        std::string path;
        std::string name;
        Fd directory;
    };

    static bool exists(const Name& name);

    std::vector<Name> names_;
};

}  // namespace sbx::hold
