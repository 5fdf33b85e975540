#include "linux/run/captured_run.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/run.h"
#include "util/fd.h"

namespace sbx {
namespace {

constexpr size_t kMost = 1 << 20;

std::string content(int fd) {
    lseek(fd, 0, SEEK_SET);
    auto text = read_all(fd, kMost);
    return text.ok() ? *text : "";
}

}  // namespace

CapturedRun run_captured(const Plan& plan, const HostFacts& facts) {
    CapturedRun result;
    Fd output(memfd_create("output", MFD_CLOEXEC));
    Fd errors(memfd_create("errors", MFD_CLOEXEC));
    Fd null(open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!output.valid() || !errors.valid() || !null.valid()) {
        return result;
    }
    pid_t pid = fork();
    if (pid == 0) {
        dup2(null.get(), 0);
        dup2(output.get(), 1);
        dup2(errors.get(), 2);
        RunOptions options;
        _exit(run_plan(plan, facts, options));
    }
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) != pid) {
        return result;
    }
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    result.output = content(output.get());
    result.errors = content(errors.get());
    return result;
}

}  // namespace sbx
