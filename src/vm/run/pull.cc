#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "run/console.h"
#include "vm/render/settings.h"
#include "vm/run/run_container.h"
#include "vm/run/tool.h"

namespace sbx {
namespace {

Result<int> pull(const std::string& image, const HostFacts& facts) {
    std::vector<std::string> words = {facts.vm.container, "image", "pull"};
    if (isatty(STDERR_FILENO) == 0) {
        words.insert(words.end(), {"--progress", "none"});
    }
    words.push_back(image);
    auto environment = vm::tool_environment(facts, {});
    std::vector<char*> argv;
    std::vector<char*> envp;
    for (auto& word : words) {
        argv.push_back(word.data());
    }
    for (auto& variable : environment) {
        envp.push_back(variable.data());
    }
    argv.push_back(nullptr);
    envp.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    pid_t pid = -1;
    // In this process group: Ctrl-C stops the download.
    int error = posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), envp.data());
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        return Error{"io", words[0] + ": " + std::strerror(error), ""};
    }
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Result<void> pull_and_check(const Setting<std::string>& image, const HostFacts& facts) {
    SBX_CHECK(vm::check_image(image));
    SBX_CHECK(vm::check_tool(facts));
    SBX_ASSIGN(int status, pull(*image, facts));
    if (status != 0) {
        return Error{"image_not_present", "the image could not be fetched", "its own message is above"};
    }
    return vm::check_image_present(*image, facts);
}

}  // namespace

int pull_image(const Setting<std::string>& image, const HostFacts& facts) {
    if (auto done = pull_and_check(image, facts); !done) {
        say(done.error());
        return ExitStatus::kFailed;
    }
    return 0;
}

}  // namespace sbx
