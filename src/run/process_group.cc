#include "run/process_group.h"

#include <unistd.h>

#include <algorithm>
#include <vector>

#include "run/processes.h"

namespace sbx {

bool has_strangers(pid_t group, pid_t from) {
    std::vector<pid_t> family = {getpid()};
    for (pid_t pid = from; pid > 0; pid = parent_of(pid)) {
        family.push_back(pid);
    }
    std::vector<pid_t> members = members_of(group);
    return std::any_of(members.begin(), members.end(), [&](pid_t member) {
        return std::find(family.begin(), family.end(), member) == family.end();
    });
}

}  // namespace sbx
