// One run from a rendered launch to the deleted VM.
#pragma once

#include "host/facts.h"
#include "run/outcome.h"
#include "run/status_writer.h"
#include "vm/render/container.h"

namespace sbx::vm {

/// Gives `launch` its name and private folder, checks the shared folders once more, runs it, and
/// returns when the VM is deleted. `output` as in Supervision. With `stdio` false the tool gets neither
/// stdin nor terminal.
Outcome run_launch(ContainerLaunch& launch, const HostFacts& facts, StatusWriter status, int output,
                   bool stdio);

}  // namespace sbx::vm
