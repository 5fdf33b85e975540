// What may begin before the policy is read: every run needs it, and it takes longer than the reading.
#pragma once

#include <memory>
#include <vector>

#include "host/facts.h"

namespace sbx {

/// Unused, it is undone by its destructor or by cancel().
class EarlyStart {
  public:
    EarlyStart() = default;
    EarlyStart(const EarlyStart&) = delete;
    EarlyStart& operator=(const EarlyStart&) = delete;
    virtual ~EarlyStart() = default;

    /// Undoes what is not in use; may be called again.
    virtual void cancel() = 0;
};

/// `facts` as gather_caller() leaves them; `kept` are the caller's descriptors that the command keeps. Null where
/// there is nothing to begin or it cannot be done: what then starts later says why. Nothing of the caller's is changed.
std::shared_ptr<EarlyStart> start_early(const HostFacts& facts, const std::vector<int>& kept);

/// Ends what the entry point of the executable has begun, unless start_early() has seen it: see
/// linux/start/prelude.h.
void end_early_start();

}  // namespace sbx
