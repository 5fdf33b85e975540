#include "vm/run/run_container.h"

#include "run/console.h"
#include "run/status_writer.h"
#include "vm/render/container.h"
#include "vm/run/launch.h"
#include "vm/run/tool.h"

namespace sbx {

Outcome run_container(const Plan& plan, const HostFacts& facts, const RunOptions& options) {
    auto launch = render_container(plan, facts);
    if (!launch) {
        return Outcome::failed(launch.error());
    }
    if (auto usable = vm::check_tool(facts); !usable) {
        return Outcome::failed(usable.error());
    }
    if (auto present = vm::check_image_present(launch->image, facts); !present) {
        return Outcome::failed(present.error());
    }
    if (!options.quiet) {
        for (const auto& note : launch->notes) {
            say(note);
        }
        if (!plan.keep_fds.empty()) {
            say("a VM gets no descriptors but its standard streams: --keep-fd and /dev/fd/N lead nowhere "
                "inside");
        }
    }
    return vm::run_launch(*launch, facts, StatusWriter(options.json_status_fd), -1, true);
}

}  // namespace sbx
