// Plan -> everything that one `container run` takes. Pure: nothing is opened or started.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/facts.h"
#include "plan/plan.h"
#include "util/result.h"

namespace sbx {

/// A single file that the guest gets. The tool shares folders: sharing a file would hand over the whole
/// folder it lies in, so a copy goes into a private folder first.
struct ContainerFile {
    std::string source;       ///< on the host; empty: an empty file that nobody may open (a mask)
    std::string destination;  ///< in the guest; read-only there
};

/// The placeholder of what is only known when it runs: the name of the VM and its private folder.
inline constexpr const char* kContainerName = "sbx-RUN";
inline constexpr const char* kContainerFolder = "/tmp/sbx-RUN";

struct ContainerLaunch {
    std::string program;  ///< Apple's tool; "container" when it is not installed
    std::string name = kContainerName;
    std::string folder = kContainerFolder;  ///< holds the copies of `files`, named 0, 1, ..., and the id file
    std::vector<std::string> options;       ///< of `container run`, all before the image
    std::vector<ContainerFile> files;
    /// Values for the `--env NAME` options, which take them from the tool's own environment: an argument
    /// list is visible to every user of the machine.
    std::vector<std::pair<std::string, std::string>> environment;
    std::string image;
    std::vector<std::string> command;  ///< the first word is the entry point, the rest its arguments
    std::vector<std::string> folders;  ///< all that are shared: checked again right before the start
    std::optional<int64_t> timeout_ms;
    std::vector<std::string> notes;  ///< one line each, for stderr
};

/// What the caller's standard streams allow.
struct ContainerStdio {
    bool interactive = false;  ///< -i
    bool terminal = false;     ///< -t
};

/// Errors: those of vm/render/settings.h, "invalid_path" for a path that the tool cannot share,
/// "vm_limit", "vm_environment", "vm_mount".
Result<ContainerLaunch> render_container(const Plan& plan, const HostFacts& facts);

/// The whole argument list, program first.
std::vector<std::string> container_words(const ContainerLaunch& launch, const ContainerStdio& stdio);

/// The same shell-quoted, for --dry-run and `sbx explain --backend container`.
std::string describe(const ContainerLaunch& launch);

/// What the web and files profiles do not protect, one line each, for `sbx check` (T94, T97, T99, T101).
std::vector<std::string> container_caveats(const Plan& plan);

/// The file of `launch.folder` that the tool writes once the VM is up.
std::string container_id_file(const ContainerLaunch& launch);

}  // namespace sbx
