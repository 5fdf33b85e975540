#include "vm/run/run_container.h"

#include <memory>

#include "hold/run.h"
#include "plan/mounts.h"
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
    vm::LaunchOptions how;
    how.status = StatusWriter(options.json_status_fd);
    how.stdio = true;
    std::unique_ptr<hold::Session> session;
    if (hold::is_needed(plan)) {
        // First of all: the places that it takes are among what the guest is shown.
        auto begun = hold::begin(plan, facts);
        if (!begun) {
            return Outcome::failed(begun.error());
        }
        session = std::move(*begun);
        if (std::vector<Mount> guards = guards_for(session->unkept(), plan, facts); !guards.empty()) {
            Plan guarded = plan;
            guarded.mounts.insert(guarded.mounts.end(), guards.begin(), guards.end());
            launch = render_container(guarded, facts);
            if (!launch) {
                return Outcome::failed(launch.error());
            }
        }
        how.before_start = [&session](pid_t guardian) { return session->watch(guardian); };
    }
    Outcome outcome = vm::run_launch(*launch, facts, how);
    if (session) {
        for (const auto& note : hold::describe(session->finish())) {
            if (!options.quiet) {
                say(note);
            }
        }
    }
    return outcome;
}

}  // namespace sbx
