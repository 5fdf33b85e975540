#include "hold/ask_git.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>

#include "run/backends.h"
#include "util/fd.h"

namespace sbx::hold {
namespace {

constexpr size_t kLargestAnswer = size_t{512} << 20;
constexpr int64_t kPatienceMs = 30'000;

using File = std::unique_ptr<FILE, int (*)(FILE*)>;

/// A child of its own runs the sandbox: it takes over descriptors 0 to 2, and dies with what it runs.
bool run_in_child(const Plan& plan, const HostFacts& facts, int input, int output) {
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR | O_CLOEXEC);
        bool ready = dup2(input, 0) == 0 && dup2(output, 1) == 1 && dup2(null, 2) == 2;
        RunOptions options;
        options.quiet = true;
        Outcome outcome = ready ? run_with_backend(plan, facts, options) : Outcome{};
        _exit(outcome.kind == Outcome::Kind::Exited && outcome.value == 0 ? 0 : 1);
    }
    int status = 1;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

Plan cat_file_plan(const Plan& plan) {
    Plan reader = plan;
    reader.argv = {"git", "cat-file", "--batch"};
    reader.cwd = plan.handover.common_dir;
    auto protects = [](const Mount& mount) {
        return mount.purpose == Purpose::Guard || mount.purpose == Purpose::Pin ||
               mount.purpose == Purpose::Mask;
    };
    reader.mounts.erase(std::remove_if(reader.mounts.begin(), reader.mounts.end(), protects),
                        reader.mounts.end());
    for (Mount& mount : reader.mounts) {
        mount.access = mount.kind == Mount::Kind::Bind ? Access::Read : mount.access;
    }
    auto is_path = [](const EnvironmentEntry& entry) { return entry.name == "PATH" || entry.name == "HOME"; };
    reader.environment.clear();
    std::copy_if(plan.environment.begin(), plan.environment.end(), std::back_inserter(reader.environment),
                 is_path);
    const std::pair<const char*, std::string> settings[] = {{"GIT_DIR", plan.handover.common_dir},
                                                            {"GIT_CONFIG_NOSYSTEM", "1"},
                                                            {"GIT_CONFIG_GLOBAL", "/dev/null"},
                                                            {"GIT_NO_REPLACE_OBJECTS", "1"},
                                                            {"GIT_NO_LAZY_FETCH", "1"},
                                                            {"GIT_OPTIONAL_LOCKS", "0"}};
    for (const auto& [name, value] : settings) {
        reader.environment.push_back({name, value, Origin::built_in()});
    }
    reader.network = NetworkPlan{};
    reader.limits = Limits{};
    reader.limits.timeout_ms = kPatienceMs;
    reader.handover = HandoverPlan{};
    reader.placeholders.clear();
    reader.reserved.clear();
    reader.create.clear();
    reader.keep_fds.clear();
    reader.notes.clear();
    reader.new_session = true;
    return reader;
}

CatFile sandboxed_cat_file(const Plan& plan, const HostFacts& facts) {
    return [&plan, &facts](const std::string& requests) -> Result<std::string> {
        File input(std::tmpfile(), std::fclose);
        File output(std::tmpfile(), std::fclose);
        if (!input || !output) {
            return Error{"io", "no room for a temporary file", ""};
        }
        SBX_CHECK(write_all(fileno(input.get()), requests));
        lseek(fileno(input.get()), 0, SEEK_SET);
        if (!run_in_child(cat_file_plan(plan), facts, fileno(input.get()), fileno(output.get()))) {
            return Error{"git_failed", "git could not be asked about the user's commits", ""};
        }
        lseek(fileno(output.get()), 0, SEEK_SET);
        return read_all(fileno(output.get()), kLargestAnswer);
    };
}

}  // namespace sbx::hold
