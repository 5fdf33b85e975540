#include "linux/run/run_bubblewrap.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "linux/render/bwrap.h"
#include "linux/run/caller_state.h"
#include "linux/run/mount_guard.h"
#include "linux/run/spawn.h"
#include "linux/run/supervisor.h"

namespace sbx {

Outcome run_bubblewrap(const Plan& plan, const HostFacts& facts, const RunOptions& options) {
    auto caller = take_caller_state();
    if (!caller.ok()) {
        return Outcome::failed(caller.error());
    }
    for (int fd : plan.keep_fds) {
        if (auto usable = check_descriptor(fd); !usable.ok()) {
            return Outcome::failed(usable.error());
        }
    }
    for (const Placeholder& placeholder : plan.placeholders) {
        if (placeholder.is_directory) {
            mkdir(placeholder.path.c_str(), 0777);
            continue;
        }
        Fd fd(open(placeholder.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666));
        if (fd.valid()) {
            (void)write_all(fd.get(), placeholder.data).ok();
        }
    }
    auto launch = render_bwrap(plan, facts);
    if (!launch.ok()) {
        return Outcome::failed(launch.error());
    }
    auto spawned = spawn_bwrap(*launch, *caller);
    if (!spawned.ok()) {
        return Outcome::failed(spawned.error());
    }
    MountGuard guard(launch->protective);
    SupervisorOptions supervision;
    if (!launch->protective.empty()) {
        supervision.guard = &guard;
        supervision.notes = !options.quiet;
    }
    supervision.timeout_ms = plan.limits.timeout_ms;
    supervision.status = StatusWriter(options.json_status_fd);
    return supervise(*spawned, *caller, supervision);
}

}  // namespace sbx
