// Starts the tool and waits for it: signals, time limit, exit status.
#pragma once

#include "run/outcome.h"
#include "run/status_writer.h"
#include "vm/render/container.h"
#include "vm/run/guardian.h"

namespace sbx::vm {

struct Supervision {
    std::vector<std::string> environment;  ///< of the tool
    ContainerStdio stdio;
    int output = -1;  ///< takes the place of stdout; -1: the caller's
    StatusWriter status{-1};
};

/// Runs `launch` and returns what became of the command, once `guardian` has deleted the VM.
Outcome supervise(const ContainerLaunch& launch, const Supervision& supervision, Guardian& guardian);

/// The outcome that the tool's exit `status` stands for. `started`: the VM came up. The tool itself ends
/// with 1 or 64 when it fails, and with 128+n when signal n killed the command. Signals whose numbers
/// Linux and macOS share become Signalled.
Outcome tool_outcome(int status, bool started);

}  // namespace sbx::vm
