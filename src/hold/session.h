// Held hand-over files for one run: the baseline before the command starts, the restoring after it, and a
// guardian that restores when sbx itself is killed.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "hold/baseline.h"
#include "hold/journal.h"
#include "hold/placeholders.h"
#include "hold/reserved.h"
#include "hold/restore.h"
#include "plan/plan.h"
#include "run/terminal.h"
#include "util/result.h"

namespace sbx::hold {

/// HostFacts::live_dir and its kin.
struct Folders {
    std::string live;
    std::string state;    ///< where changes are kept
    std::string journal;  ///< "" where `live` outlives a power failure
};

class Session {
  public:
    /// Makes the placeholders, takes or joins the baseline of every root, and starts the guardian. The
    /// command must not run yet.
    /// `cat_file` is called only when something would be held; it may be empty. `terminal` is put
    /// right by the guardian when sbx is killed; it may be null.
    static Result<std::unique_ptr<Session>> begin(const Plan& plan, const Folders& folders, CatFile cat_file,
                                                  const Terminal* terminal = nullptr);
    ~Session();

    /// Tells the guardian which process of the host must be gone before it may restore: process 1 of the
    /// sandbox, with which everything inside ends. Before the command starts.
    Result<void> watch(pid_t inner);

    /// Files that are too large to be kept, and those that cannot be read: the command must not change them.
    /// Absolute paths on the host.
    std::vector<std::string> unkept() const;

    /// What the caller must look after while the command runs.
    const ReservedNames& reserved() const { return reserved_; }

    /// Restores every root. Nothing of the sandbox may be alive.
    Report finish();

  private:
    Session() = default;
    Result<void> restore_after(const Record& lost);
    Journal write_journal() const;
    void guard(int messages, const Terminal* terminal);

    HandoverPlan plan_;
    Folders folders_;
    CatFile cat_file_;
    std::vector<std::pair<std::string, Baseline>> roots_;
    std::vector<Placeholders> placeholders_;
    ReservedNames reserved_;
    Report recovered_;  ///< what earlier runs, lost with their guardians, had left
    bool unrestored_ = false;
    Fd guardian_;  ///< sbx's end; its closing without a word means that sbx was killed
    pid_t guardian_pid_ = -1;
};

}  // namespace sbx::hold
