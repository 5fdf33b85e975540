#include "macos/run/tool.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include "macos/run/system.h"
#include "util/fd.h"

namespace sbx {
namespace {

constexpr size_t kMostErrors = size_t{64} << 10;

/// Reads until the end or the deadline; false when the deadline came first.
bool collect(int fd, std::string& out, std::chrono::steady_clock::time_point deadline) {
    std::array<char, 4096> buffer;
    for (;;) {
        auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
        pollfd waiting{fd, POLLIN, 0};
        if (left.count() <= 0 || poll(&waiting, 1, static_cast<int>(left.count())) == 0) {
            return false;
        }
        ssize_t length = read(fd, buffer.data(), buffer.size());
        if (length < 0 && errno == EINTR) {
            continue;
        }
        if (length <= 0) {
            return true;
        }
        out.append(buffer.data(), std::min(static_cast<size_t>(length), kMostErrors - std::min(out.size(), kMostErrors)));
    }
}

}  // namespace

Result<ToolResult> run_tool(const std::vector<std::string>& argv, int timeout_ms) {
    int errors[2];
    if (pipe(errors) != 0) {
        return Error{"io", std::string("pipe: ") + std::strerror(errno), ""};
    }
    Fd read_end(errors[0]);
    Fd write_end(errors[1]);
    pid_t pid = fork();
    if (pid < 0) {
        return Error{"io", std::string("fork: ") + std::strerror(errno), ""};
    }
    if (pid == 0) {
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, nullptr);
        int null = open("/dev/null", O_RDWR);
        dup2(null, 0);
        dup2(null, 1);
        dup2(write_end.get(), 2);
        std::vector<std::string> words = argv;
        std::vector<char*> pointers;
        for (auto& word : words) {
            pointers.push_back(word.data());
        }
        pointers.push_back(nullptr);
        char* environment[] = {nullptr};
        exec_with_descriptors(pointers[0], pointers.data(), environment, {});
        _exit(127);
    }
    write_end.reset();
    ToolResult result;
    bool ended = collect(read_end.get(), result.errors,
                         std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms));
    if (!ended) {
        kill(pid, SIGKILL);
    }
    while (waitpid(pid, &result.status, 0) < 0 && errno == EINTR) {
    }
    if (!ended) {
        return Error{"timeout", argv.front() + " did not end", ""};
    }
    return result;
}

}  // namespace sbx
