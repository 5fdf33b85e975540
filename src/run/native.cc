#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "run/backends.h"
#include "run/status_writer.h"

namespace sbx {

Outcome run_native(const Plan& plan, const RunOptions& options) {
    if (plan.backend != Backend::Native) {
        return Outcome::failed({"backend_failed", "refusing to run a confined plan without a sandbox", ""});
    }
    std::vector<std::string> words = plan.argv;
    std::vector<char*> argv;
    for (auto& word : words) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    (void)options;
    execvp(argv[0], argv.data());
    int error = errno;
    if (error == ENOENT || error == ENOTDIR) {
        return {Outcome::Kind::NotFound, 0, {"not_found", "command not found", ""}};
    }
    return {Outcome::Kind::NotExecutable, 0, {"not_executable", std::strerror(error), ""}};
}

}  // namespace sbx
