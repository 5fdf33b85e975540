#include "run/early_start.h"

namespace sbx {

std::shared_ptr<EarlyStart> start_early(const HostFacts& facts, const std::vector<int>& kept) {
    (void)facts;
    (void)kept;
    return nullptr;  // sandbox-exec wants its profile on its command line
}

void end_early_start() {}

}  // namespace sbx
