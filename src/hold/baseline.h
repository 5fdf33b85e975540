// What a writable root held before any of the runs that are live in it began.
//
// Two overlapping runs would defeat a baseline of each run's own: the second would take what the first
// planted for the user's. So the first live run takes it, later ones join it, and it is dropped when the
// last one has restored. A file in the directory of live runs carries it; locks on that file tell who is
// live, so that a killed run leaves nothing that blocks the next one. Runs that see a folder otherwise (one
// root lies in the other, or the policies differ) have files of their own, and take over what the live ones
// know.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "hold/record.h"
#include "util/fd.h"
#include "util/result.h"

namespace sbx::hold {

/// What other runs that are live know better than the disk does.
struct Known {
    std::vector<Record> others;      ///< whose roots lie in or around this one, or are it
    bool repository = false;         ///< `tips` counts
    std::vector<std::string> tips;
};

class Baseline {
  public:
    using Take = std::function<Result<Before>(const Known& known)>;
    /// Called with the record of a run that nobody restored after.
    using Recover = std::function<Result<void>(const Record& lost)>;

    /// `directory`: see make_live_directory(). `root`: the writable root, an existing directory.
    static Result<Baseline> join(const std::string& directory, const std::string& root, const HandoverPlan& plan,
                                 const Take& take, const Recover& recover);

    const Before& before() const { return record_.before; }
    const Record& record() const { return record_; }

    /// The locked file: a process that shares it keeps this run alive for the others.
    int descriptor() const { return share_.get(); }

    /// Runs `restore` while no other run can join or leave, then gives up this run's share and drops the
    /// baseline if no other run lives. It is kept when `restore` fails: the next run tries again.
    Result<void> leave(const std::function<Result<void>()>& restore);

  private:
    std::string directory_;
    std::string name_;
    Fd share_;
    Record record_;
};

/// True when a run lives whose end would restore files in or around `root`. Under take_turn().
bool is_live_around(const std::string& directory, const std::string& root);

}  // namespace sbx::hold
