#include "vm/run/tool.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>

#include "util/fd.h"
#include "util/text.h"

namespace sbx::vm {
namespace {

constexpr size_t kMaxAnswer = size_t{64} << 10;
constexpr int kAnswerMs = 30'000;  // the service itself waits ten seconds for a dead one

Error failure(const char* what) {
    return Error{"io", std::string(what) + ": " + std::strerror(errno), ""};
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
    std::vector<char*> list;
    for (const auto& word : words) {
        list.push_back(const_cast<char*>(word.c_str()));
    }
    list.push_back(nullptr);
    return list;
}

Error unavailable(const std::string& message, const std::string& hint) {
    return Error{"backend_unavailable", message, hint};
}

/// Reads until the other end closes or the time is over. False when the time is over.
bool read_until_closed(int fd, int timeout_ms, std::string& output) {
    auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
    for (;;) {
        auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline -
                                                                          std::chrono::steady_clock::now());
        pollfd waiting = {fd, POLLIN, 0};
        int ready = left.count() > 0 ? poll(&waiting, 1, static_cast<int>(left.count())) : 0;
        if (ready < 0 && errno == EINTR) {
            continue;
        }
        if (ready <= 0) {
            return false;
        }
        char buffer[4096];
        ssize_t got = read(fd, buffer, sizeof buffer);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            return true;
        }
        if (got > 0) {
            output.append(buffer, std::min(static_cast<size_t>(got), kMaxAnswer - output.size()));
        }
    }
}

Result<pid_t> spawn(const std::vector<std::string>& words, const std::vector<std::string>& environment,
                    int output) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, 1);
    posix_spawn_file_actions_adddup2(&actions, output, 2);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    // A group of its own: Ctrl-C at the terminal is for the command, not for a question about it.
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    pid_t pid = -1;
    auto argv = pointers(words);
    auto envp = pointers(environment);
    int error = posix_spawn(&pid, words[0].c_str(), &actions, &attributes, argv.data(), envp.data());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (error != 0) {
        errno = error;
        return failure(words[0].c_str());
    }
    return pid;
}

}  // namespace

std::vector<std::string> tool_environment(const HostFacts& facts,
                                          const std::vector<std::pair<std::string, std::string>>& extra) {
    std::vector<std::string> environment = {"PATH=/usr/bin:/bin:/usr/sbin:/sbin"};
    for (const char* name : {"HOME", "USER", "LOGNAME", "TMPDIR"}) {
        if (const std::string* value = facts.variable(name)) {
            environment.push_back(std::string(name) + "=" + *value);
        }
    }
    for (const auto& [name, value] : extra) {
        environment.push_back(name + "=" + value);
    }
    return environment;
}

Result<ToolAnswer> ask_tool(const std::vector<std::string>& words,
                            const std::vector<std::string>& environment, int timeout_ms) {
    int ends[2];
    if (pipe(ends) != 0) {
        return failure("pipe");
    }
    Fd reading(ends[0]);
    Fd writing(ends[1]);
    fcntl(reading.get(), F_SETFD, FD_CLOEXEC);
    fcntl(writing.get(), F_SETFD, FD_CLOEXEC);
    SBX_ASSIGN(pid_t pid, spawn(words, environment, writing.get()));
    writing.reset();
    ToolAnswer answer;
    bool finished = read_until_closed(reading.get(), timeout_ms, answer.output);
    if (!finished) {
        kill(pid, SIGKILL);
    }
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (!finished) {
        return Error{"timeout", words[0] + " " + words[1] + " did not answer", ""};
    }
    answer.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return answer;
}

std::string parse_version(const std::string& text) {
    size_t start = text.find("version ");
    start = text.find_first_of("0123456789", start == std::string::npos ? 0 : start);
    if (start == std::string::npos) {
        return "";
    }
    size_t end = text.find_first_not_of("0123456789.", start);
    return text.substr(start, end == std::string::npos ? end : end - start);
}

bool is_new_enough(const std::string& version) {
    auto parts = split(version, '.');
    auto number = [&](size_t index) {
        int value = 0;
        if (index < parts.size()) {
            std::from_chars(parts[index].data(), parts[index].data() + parts[index].size(), value);
        }
        return value;
    };
    return number(0) > 1 || (number(0) == 1 && number(1) >= 5);
}

Result<void> check_tool(const HostFacts& facts) {
    const std::string& program = facts.vm.container;
    if (program.empty()) {
        return unavailable(
            "container backend unavailable (not-installed).",
            "install Apple's container tool, 1.5 or newer, on a Mac with Apple silicon and macOS 26");
    }
    auto environment = tool_environment(facts, {});
    auto status = ask_tool({program, "system", "status"}, environment, kAnswerMs);
    if (!status || status->status != 0) {
        return unavailable("container backend unavailable (not-running).",
                           "start it once: container system start");
    }
    auto answer = ask_tool({program, "--version"}, environment, kAnswerMs);
    std::string version = answer && answer->status == 0 ? parse_version(answer->output) : "";
    if (!is_new_enough(version)) {
        return unavailable(
            "Apple container 1.5 or newer is needed",
            version.empty() ? "its version cannot be told" : "this is " + version + ": update it");
    }
    return {};
}

Result<void> check_image_present(const std::string& image, const HostFacts& facts) {
    auto answer =
        ask_tool({facts.vm.container, "image", "inspect", image}, tool_environment(facts, {}), kAnswerMs);
    if (!answer || answer->status != 0) {
        return Error{"image_not_present", "the image " + printable_line(image) + " is not on this machine",
                     "fetch it once: sbx vm pull"};
    }
    return {};
}

}  // namespace sbx::vm
