// One run from a rendered launch to the deleted VM.
#pragma once

#include <sys/types.h>

#include <functional>

#include "host/facts.h"
#include "run/outcome.h"
#include "run/status_writer.h"
#include "vm/render/container.h"

namespace sbx::vm {

struct LaunchOptions {
    StatusWriter status{-1};
    int output = -1;     ///< takes the place of stdout; -1: the caller's
    bool stdio = false;  ///< the tool gets stdin and the terminal, where that makes sense
    /// Called before the tool is started, with the process that ends when nothing of the VM is left.
    std::function<Result<void>(pid_t guardian)> before_start;
};

/// Gives `launch` its name and private folder, checks the shared folders once more, runs it, and
/// returns when the VM is deleted.
Outcome run_launch(ContainerLaunch& launch, const HostFacts& facts, const LaunchOptions& options);

}  // namespace sbx::vm
