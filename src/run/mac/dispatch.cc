#include "macos/run/run_seatbelt.h"
#include "run/backends.h"
#include "vm/run/run_container.h"

namespace sbx {

Outcome run_with_backend(const Plan& plan, const HostFacts& facts, const RunOptions& options) {
    switch (plan.backend) {
        case Backend::Native: return run_native(plan, options);
        case Backend::SandboxExec: return run_seatbelt(plan, facts, options);
        case Backend::Bubblewrap:
            return Outcome::failed({"backend_unavailable", "bubblewrap backend unavailable (not-linux).",
                                    "use sandbox.backend = \"sandbox-exec\" on a Mac"});
        case Backend::Container: return run_container(plan, facts, options);
    }
    return Outcome::failed({"backend_unavailable", "unknown backend", ""});
}

}  // namespace sbx
