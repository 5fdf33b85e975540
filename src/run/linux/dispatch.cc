#include "linux/run/run_bubblewrap.h"
#include "run/backends.h"
#include "vm/run/run_container.h"

namespace sbx {

Outcome run_with_backend(const Plan& plan, const HostFacts& facts, const RunOptions& options) {
    if (options.early && plan.backend != Backend::Bubblewrap) {
        options.early->cancel();
    }
    switch (plan.backend) {
        case Backend::Native: return run_native(plan, options);
        case Backend::Bubblewrap: return run_bubblewrap(plan, facts, options);
        case Backend::SandboxExec:
            return Outcome::failed({"backend_unavailable", "sandbox-exec backend unavailable (not-darwin).",
                                    "use sandbox.backend = \"bubblewrap\" on Linux"});
        case Backend::Container: return run_container(plan, facts, options);
    }
    return Outcome::failed({"backend_unavailable", "unknown backend", ""});
}

}  // namespace sbx
