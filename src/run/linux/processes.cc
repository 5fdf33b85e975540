#include "run/processes.h"

#include <dirent.h>
#include <fcntl.h>

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

pid_t parent_of(pid_t pid) {
    auto process = look_at_process(pid);
    return process ? process->parent : 0;
}

std::vector<pid_t> members_of(pid_t group) {
    std::vector<pid_t> members;
    std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir("/proc"), closedir);
    while (const dirent* entry = directory ? readdir(directory.get()) : nullptr) {
        pid_t pid = std::atoi(entry->d_name);
        auto process = pid > 0 ? look_at_process(pid) : std::nullopt;
        if (process && process->group == group && process->state != 'Z' && process->state != 'X') {
            members.push_back(pid);
        }
    }
    return members;
}

}  // namespace sbx
