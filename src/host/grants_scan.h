// Which folders of a policy are searched, and for what: from Policy and facts to a ScanRequest.
#pragma once

#include "host/scan.h"

namespace sbx {

/// Fills facts.scan. Needs the paths and the repository in `facts`. Folders that the policy may not
/// grant are left to the plan, which refuses them. Error: "scan_limit".
Result<void> scan_grants(const Policy& policy, HostFacts& facts);

/// What denied patterns match in the folders that a guest with profile files gets, where nothing is hidden.
/// A limit of the scan that is reached is reported in the answer, not as an error.
ScanFacts scan_vm_folders(const Policy& policy, const HostFacts& facts);

}  // namespace sbx
