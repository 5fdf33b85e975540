#include "run/process_group.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "util/fd.h"

namespace sbx {
namespace {

struct Process {
    char state;
    pid_t parent;
    pid_t group;
};

std::optional<Process> look_at_process(pid_t pid) {
    Fd fd(open(("/proc/" + std::to_string(pid) + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
    auto text = fd.valid() ? read_all(fd.get(), 4096) : Result<std::string>(std::string());
    // The name in parentheses may hold anything.
    size_t end = text.ok() ? text->rfind(')') : std::string::npos;
    Process found{};
    if (end == std::string::npos ||
        std::sscanf(text->c_str() + end + 1, " %c %d %d", &found.state, &found.parent, &found.group) != 3) {
        return std::nullopt;
    }
    return found;
}

}  // namespace

bool has_strangers(pid_t group, pid_t from) {
    std::vector<pid_t> family = {getpid()};
    for (pid_t pid = from; pid > 0;) {
        family.push_back(pid);
        auto process = look_at_process(pid);
        pid = process ? process->parent : 0;
    }
    std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir("/proc"), closedir);
    while (const dirent* entry = directory ? readdir(directory.get()) : nullptr) {
        pid_t pid = std::atoi(entry->d_name);
        if (pid <= 0 || std::find(family.begin(), family.end(), pid) != family.end()) {
            continue;
        }
        auto process = look_at_process(pid);
        if (process && process->group == group && process->state != 'Z' && process->state != 'X') {
            return true;
        }
    }
    return false;
}

}  // namespace sbx
