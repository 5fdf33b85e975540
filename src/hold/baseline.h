// What a writable root held before any of the runs that are live in it began.
//
// Two overlapping runs would defeat a baseline of each run's own: the second would take what the first
// planted for the user's. So the first live run takes it, later ones join it, and it is dropped when the
// last one has restored. A file in the user's runtime directory carries it; locks on that file tell who
// is live, so that a killed run leaves nothing that blocks the next one.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "hold/snapshot.h"
#include "util/fd.h"
#include "util/result.h"

namespace sbx::hold {

struct Before {
    Snapshot files;
    std::vector<std::string> tips;  ///< commits that the repository's refs pointed to: the user's own
};

class Baseline {
  public:
    using Take = std::function<Result<Before>()>;
    /// Called with the baseline of a run that nobody restored after (a power failure).
    using Recover = std::function<Result<void>(const Before&)>;

    /// `directory`: see live_directory(). `root`: the writable root, an existing directory.
    static Result<Baseline> join(const std::string& directory, const std::string& root, const Take& take,
                                 const Recover& recover);

    const Before& before() const { return before_; }

    /// The locked file: a process that shares it keeps this run alive for the others.
    int descriptor() const { return share_.get(); }

    /// Runs `restore` while no other run can join or leave, then gives up this run's share and drops the
    /// baseline if no other run lives. It is kept when `restore` fails: the next run tries again.
    Result<void> leave(const std::function<Result<void>()>& restore);

  private:
    std::string directory_;
    std::string name_;
    Fd share_;
    Before before_;
};

}  // namespace sbx::hold
