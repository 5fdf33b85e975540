// A bwrap that has been started and waits to be told what to do: it reads its options from a pipe. Loading it takes
// as long as reading the policy and planning, and both can go on at once.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "linux/render/bwrap.h"
#include "linux/start/bwrap.h"
#include "run/early_start.h"
#include "util/fd.h"
#include "util/result.h"

namespace sbx {

/// What has to be known when bwrap starts.
struct BwrapNeeds {
    std::string program;
    std::vector<std::string> command;  ///< what follows `--`
    LaunchDescriptors descriptors;     ///< a stdio of -1 is closed
    std::vector<int> data;             ///< descriptor numbers for generated files
    std::vector<int> keep;             ///< the caller's descriptors that the command keeps

    bool operator==(const BwrapNeeds& other) const = default;
};

class WaitingBwrap : public EarlyStart {
  public:
    /// Starts bwrap with an empty environment, every signal blocked, without capabilities unless it is root, in a
    /// session keyring of its own, and with no other descriptors than those in `needs`. When sbx is
    /// killed it reads the end of its options, finds no program in a sandbox without mounts, and ends.
    static Result<std::unique_ptr<WaitingBwrap>> start(const BwrapNeeds& needs);
    /// The one that sbx's entry point has started, once; null when there is none.
    static std::unique_ptr<WaitingBwrap> begun_at_entry();
    ~WaitingBwrap() override { cancel(); }

    /// The inner stage; start() has done it.
    Result<void> give_program();

    /// Whether it is what `needs` asks for; spare places for generated files do not matter.
    bool fits(const BwrapNeeds& needs) const;

    pid_t pid() const { return pid_; }

    /// While it loads, bwrap is kept off sbx's processor. From now on it may run wherever the caller may.
    Result<void> free_processors();

    struct Ends {
        pid_t pid = -1;
        Fd socket;  ///< sbx's end, SEQPACKET, carrying wire::Message
        Fd errors;  ///< memfd that bwrap's stderr went to
    };
    /// Hands over everything and lets bwrap go on. `block` is for the inner stage.
    Result<Ends> go(const std::vector<std::string>& options, const std::string& block,
                    const std::vector<LinuxLaunch::Data>& data);

    void cancel() override;

  private:
    /// `data`: for needs.data in the same order. Owns everything that is open.
    WaitingBwrap(BwrapNeeds needs, const start::Started& started, const int* data);

    BwrapNeeds needs_;
    pid_t pid_ = -1;
    Fd options_;
    Fd program_;
    Fd block_;
    std::vector<std::pair<int, Fd>> data_;  ///< by number
    Fd socket_;
    Fd errors_;
    cpu_set_t allowed_{};     ///< the caller's processors
    bool elsewhere_ = false;  ///< bwrap may use all of them but sbx's
};

}  // namespace sbx
