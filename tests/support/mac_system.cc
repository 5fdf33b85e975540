// Linux's stand-ins for what only macOS can do, so that the runner is driven here (see
// src/macos/run/system.h). The fake sandbox-exec marks its processes in their environment.
#include "macos/run/system.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>

namespace sbx {

int exec_with_descriptors(const char* program, char* const* argv, char* const* environment,
                          const std::vector<int>& keep) {
    for (int fd = 3; fd < 1024; ++fd) {
        int flags = fcntl(fd, F_GETFD);
        if (flags >= 0) {
            bool kept = std::find(keep.begin(), keep.end(), fd) != keep.end();
            fcntl(fd, F_SETFD, kept ? 0 : FD_CLOEXEC);
        }
    }
    execve(program, argv, environment);
    return errno;
}

std::vector<pid_t> processes_of_run(const std::string& mark) {
    std::vector<pid_t> found;
    std::unique_ptr<DIR, int (*)(DIR*)> proc(opendir("/proc"), closedir);
    while (dirent* entry = proc ? readdir(proc.get()) : nullptr) {
        int pid = std::atoi(entry->d_name);
        std::ifstream file("/proc/" + std::to_string(pid) + "/environ");
        std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
        bool marked = text.find("SBX_FAKE_MARK=" + mark + std::string(1, '\0')) != std::string::npos;
        if (pid > 1 && pid != getpid() && marked) {
            found.push_back(pid);
        }
    }
    return found;
}

}  // namespace sbx
