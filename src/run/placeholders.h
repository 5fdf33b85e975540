// Harmless files that hold a place inside a git directory while a run needs it held.
//
// Several runs may need the same one. Each keeps it open with a shared lock; whoever gets the exclusive
// lock at the end is the last one and removes it. The kernel releases the locks of a killed run, and the
// next run in the same repository finds what was left, uses it, and removes it.
#pragma once

#include <string>
#include <vector>

#include "plan/plan.h"
#include "util/fd.h"
#include "util/result.h"

namespace sbx {

class Placeholders {
  public:
    Placeholders() = default;
    Placeholders(const Placeholders&) = delete;
    Placeholders& operator=(const Placeholders&) = delete;
    ~Placeholders();

    /// Makes those that are missing. Error "setup_failed": one cannot be made, or something else stands
    /// in its place.
    Result<void> place(const std::vector<Placeholder>& wanted);

  private:
    struct Held {
        Placeholder what;
        Fd file;
    };
    Result<bool> hold(const Placeholder& wanted);
    static void remove_if_last(const Held& held);

    std::vector<Held> held_;
};

}  // namespace sbx
