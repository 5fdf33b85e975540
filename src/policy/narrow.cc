#include "policy/narrow.h"

namespace sbx {

bool narrows(ProjectRule rule, int64_t before, int64_t after) {
    switch (rule) {
        case ProjectRule::Anything: return true;
        case ProjectRule::Lower: return after <= before;
        case ProjectRule::Higher: return after >= before;
        default: return after == before;
    }
}

bool narrows_limit(std::optional<double> before, double after) { return !before || after <= *before; }

bool may_add(ProjectRule rule) {
    return rule == ProjectRule::Add || rule == ProjectRule::Inside || rule == ProjectRule::Anything;
}

}  // namespace sbx
