// What the supervisor has seen, and what became of the run by that.
#pragma once

#include <cstdint>
#include <optional>

#include "linux/wire/block.h"
#include "run/outcome.h"

namespace sbx {

struct RunEnd {
    bool timed_out = false;
    bool started = false;                         ///< the command
    int early_end = 0;                            ///< the signal that ends sbx if the command never starts
    std::optional<Error> failure;                 ///< why sbx ended it
    std::optional<int> result;                    ///< the command's, as from waitpid
    std::optional<wire::Message> failed_message;  ///< why the inner stage could not start it
};

/// `errors`: where bwrap's messages went.
Outcome outcome_of(const RunEnd& end, std::optional<int64_t> timeout_ms, int errors);

}  // namespace sbx
