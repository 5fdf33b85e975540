#include "linux/run/run_end.h"

#include <sys/wait.h>
#include <unistd.h>

#include "linux/run/bwrap_errors.h"
#include "util/fd.h"

namespace sbx {

Outcome outcome_of(const RunEnd& end, std::optional<int64_t> timeout_ms, int errors) {
    if (end.timed_out) {
        return {Outcome::Kind::TimedOut, 0,
                {"timeout", "stopped: the time limit of " + std::to_string(*timeout_ms) +
                                " ms is over (limits.timeout)", ""}};
    }
    if (end.failure) {
        return Outcome::failed(*end.failure);
    }
    if (end.result && WIFEXITED(*end.result)) {
        return {Outcome::Kind::Exited, WEXITSTATUS(*end.result), {}};
    }
    if (end.result && WIFSIGNALED(*end.result)) {
        return {Outcome::Kind::Signalled, WTERMSIG(*end.result), {}};
    }
    if (end.failed_message) {
        return explain_not_started(*end.failed_message);
    }
    if (end.early_end != 0) {
        return {Outcome::Kind::Signalled, end.early_end, {}};
    }
    if (end.started) {
        return Outcome::failed({"killed", "the sandbox was killed from outside", ""});
    }
    lseek(errors, 0, SEEK_SET);
    auto text = read_all(errors, 1 << 16);
    return Outcome::failed(explain_bwrap_failure(text.ok() ? text.value() : "", look_at_user_namespaces()));
}

}  // namespace sbx
