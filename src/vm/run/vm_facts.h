// What the container backend needs to know of this machine.
#pragma once

#include "host/facts.h"

namespace sbx {

/// Where Apple's tool is and which addresses this machine has (T53). Starts no process. `version` stays
/// empty: it costs a process, and check_tool() asks for it right before it matters.
void gather_vm_facts(VmFacts& facts);

/// For `sbx doctor`: also the version.
void probe_container_version(HostFacts& facts);

}  // namespace sbx
