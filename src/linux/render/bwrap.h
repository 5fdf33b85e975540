// Plan -> everything that starting bwrap takes. Pure: numbers and bytes, nothing is opened.
#pragma once

#include <string>
#include <vector>

#include "host/facts.h"
#include "linux/render/inner_block.h"
#include "linux/render/protective.h"
#include "plan/plan.h"
#include "util/result.h"

namespace sbx {

/// Descriptor numbers in the process that becomes bwrap. Chosen here, so that the printed command is
/// the one that runs, and so that none collides with a descriptor that the command keeps.
struct LaunchDescriptors {
    int arguments = -1;       ///< pipe with bwrap's options
    int inner_program = -1;   ///< sealed memfd with the inner stage
    int inner_block = -1;     ///< memfd with its block
    int socket = -1;          ///< the inner stage's end of the socket pair
    int stdio[3] = {-1, -1, -1};

    bool operator==(const LaunchDescriptors& other) const = default;
};

/// Hands out descriptor numbers from 10 up that the command does not keep.
class DescriptorNumbers {
  public:
    explicit DescriptorNumbers(const std::vector<int>& kept) : kept_(kept) {}
    int next();
    /// The numbers that every launch needs; what next() gives afterwards is for generated files.
    LaunchDescriptors for_launch();

  private:
    std::vector<int> kept_;
    int number_ = 10;
};

/// What bwrap starts: the inner stage, whose bytes and block are at these descriptors.
std::vector<std::string> inner_command(const LaunchDescriptors& descriptors, const LinuxFacts& facts);

struct LinuxLaunch {
    std::string program;                 ///< bwrap
    std::vector<std::string> options;    ///< all of bwrap's options
    std::vector<std::string> command;    ///< what follows `--`: the inner stage and its arguments
    LaunchDescriptors descriptors;
    struct Data {
        int fd = -1;
        std::string content;
    };
    std::vector<Data> data;              ///< contents of generated files
    std::vector<ProtectiveMount> protective;  ///< made inside when bwrap has finished
    size_t bound_cpus = 0;               ///< limits.cpus without a control group: so many CPUs; 0: all
    InnerSettings inner;                 ///< signal state and open stdio are added when it runs
};

/// Error: "backend_unavailable" when there is no bwrap that may be trusted, "too_many_arguments".
Result<LinuxLaunch> render_bwrap(const Plan& plan, const HostFacts& facts);

/// What to do about facts.bwrap_problem.
std::string remedy_for_bwrap(const LinuxFacts& facts);

/// `bwrap OPTIONS -- INNER`, shell-quoted, for --dry-run.
std::string describe(const LinuxLaunch& launch);

}  // namespace sbx
