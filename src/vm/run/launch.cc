#include "vm/run/launch.h"

#include <fcntl.h>
#include <unistd.h>

#include "util/fd.h"
#include "vm/run/folder.h"
#include "vm/run/guardian.h"
#include "vm/run/stdio_state.h"
#include "vm/run/supervise.h"
#include "vm/run/tool.h"

namespace sbx::vm {
namespace {

/// A name that nobody else's VM has, so that deleting it deletes ours.
Result<std::string> random_name() {
    constexpr char kDigits[] = "0123456789abcdef";
    Fd random(open("/dev/urandom", O_RDONLY | O_CLOEXEC));
    unsigned char bytes[12];
    if (!random.valid() || read(random.get(), bytes, sizeof bytes) != sizeof bytes) {
        return Error{"io", "/dev/urandom cannot be read", ""};
    }
    std::string name = "sbx-";
    for (unsigned char byte : bytes) {
        name += kDigits[byte >> 4];
        name += kDigits[byte & 15];
    }
    return name;
}

}  // namespace

Outcome run_launch(ContainerLaunch& launch, const HostFacts& facts, const LaunchOptions& options) {
    for (const auto& folder : launch.folders) {
        if (auto usable = check_shared_folder(folder); !usable) {
            return Outcome::failed(usable.error());
        }
    }
    auto name = random_name();
    if (!name) {
        return Outcome::failed(name.error());
    }
    launch.name = *name;
    if (auto made = make_private_folder(launch); !made) {
        if (launch.folder != kContainerFolder) {
            remove_private_folder(launch.folder);
        }
        return Outcome::failed(made.error());
    }
    auto guardian = Guardian::start({launch.program, "delete", "--force", launch.name},
                                    tool_environment(facts, {}), launch.folder);
    if (!guardian) {
        remove_private_folder(launch.folder);
        return Outcome::failed(guardian.error());
    }
    if (options.before_start) {
        if (auto ready = options.before_start(guardian->pid()); !ready) {
            return Outcome::failed(ready.error());
        }
    }
    Supervision supervision;
    supervision.environment = tool_environment(facts, launch.environment);
    supervision.output = options.output;
    supervision.status = options.status;
    StdioState streams;
    if (options.stdio) {
        supervision.stdio = streams.options();
    }
    return supervise(launch, supervision, *guardian);
}

}  // namespace sbx::vm
