#include "cli/prepare.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/secrets.h"
#include "host/gather.h"
#include "plan/descriptors.h"
#include "util/text.h"

namespace sbx::cli {
namespace {

/// Names of persistent homes become file names.
Result<void> check_id(const std::string& id) {
    bool good = !id.empty() && id.size() <= 64 && id.front() != '.';
    for (char c : id) {
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                     c == '_' || c == '.';
        good = good && plain;
    }
    if (!good) {
        return Error{"usage", fmt::format("--id: \"{}\" is not a name", printable_line(id)),
                     "use 1 to 64 letters, digits, '-', '_' and '.'"};
    }
    return {};
}

/// As far as the command line says.
bool wants_usual_backend(const Arguments& arguments) {
    const std::string* backend = arguments.value("--backend");
    return backend == nullptr || *backend == "auto" || *backend == "bubblewrap";
}

Result<Invocation> invocation_of(const Arguments& arguments, const std::vector<std::string>& command) {
    Invocation invocation;
    invocation.argv = command;
    invocation.allow_git_config = arguments.has("--allow-git-config");
    if (const std::string* id = arguments.value("--id")) {
        invocation.id = *id;
    }
    for (const std::string& text : arguments.all("--keep-fd")) {
        SBX_ASSIGN(int number, descriptor_number("--keep-fd", text));
        invocation.keep_fds.push_back(number);
    }
    return invocation;
}

/// What sbx writes for itself counts, too, and beyond the limit a signal would end it without a word.
Result<void> check_file_size_limit() {
    constexpr rlim_t kNeeded = 1 << 20;
    rlimit limit{};
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < kNeeded) {
        return Error{"setup_failed",
                     fmt::format("the limit on the size of files is {} bytes, and sbx needs {} for its own", limit.rlim_cur, kNeeded),
                     "raise it (ulimit -f), and limit the command instead: --file-size"};
    }
    return {};
}

}  // namespace

Result<Prepared> prepare(const Arguments& arguments, bool to_run) {
    if (const std::string* id = arguments.value("--id")) {
        SBX_CHECK(check_id(*id));
    }
    if (to_run) {
        SBX_CHECK(check_file_size_limit());
    }
    Prepared prepared;
    PolicyRequest request = policy_request(arguments);
    if (const std::string* folder = arguments.value("--folder")) {
        SBX_ASSIGN(HostFacts before, gather_caller());
        request.base = before.cwd;
        if (chdir(folder->c_str()) != 0) {
            return Error{"invalid_folder",
                         fmt::format("--folder: {}: {}", printable_line(*folder), std::strerror(errno)), ""};
        }
    }
    SBX_ASSIGN(prepared.facts, gather_caller());
    prepared.facts.linux_.private_later = to_run;
    if (to_run && wants_usual_backend(arguments)) {
        SBX_ASSIGN(Invocation invocation, invocation_of(arguments, arguments.words));
        prepared.early = start_early(prepared.facts, plan_descriptors(prepared.facts, invocation));
    } else {
        end_early_start();
    }
    if (arguments.has("--folder")) {
        request.settings.push_back({"--folder", "sandbox.worktree", prepared.facts.cwd});
    }
    if (const std::string* image = prepared.facts.variable("SBX_IMAGE"); image != nullptr && !image->empty()) {
        request.settings.insert(request.settings.begin(), {"SBX_IMAGE", "vm.image", *image});
    }
    prepared.loaded = load_redacted(prepared.facts, request);
    if (prepared.loaded.errors.empty()) {
        if (auto gathered = gather_for_policy(prepared.loaded.policy, prepared.facts); !gathered) {
            return redacted(redactor_for(prepared.facts, prepared.loaded.policy), gathered.error());
        }
    }
    return prepared;
}

Result<Plan> plan_of(const Prepared& prepared, const Arguments& arguments, const std::vector<std::string>& command,
                     bool for_showing) {
    SBX_ASSIGN(Invocation invocation, invocation_of(arguments, command));
    invocation.exact_backend = for_showing && arguments.has("--backend");
    const LoadedPolicy& loaded = prepared.loaded;
    auto plan = build_plan(loaded.policy, prepared.facts, invocation);
    if (!plan) {
        return redacted(redactor_for(prepared.facts, loaded.policy), plan.error());
    }
    if (!plan->notes.empty()) {
        redact_all(redactor_for(prepared.facts, loaded.policy), plan->notes);
    }
    plan->notes.insert(plan->notes.begin(), loaded.notes.begin(), loaded.notes.end());
    plan->warnings.insert(plan->warnings.begin(), loaded.warnings.begin(), loaded.warnings.end());
    return plan;
}

}  // namespace sbx::cli
