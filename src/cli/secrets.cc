#include "cli/secrets.h"

#include "host/resolve.h"
#include "plan/environment.h"
#include "util/text.h"

namespace sbx::cli {
namespace {

constexpr size_t kMaxDotenv = 65536;

}  // namespace

Redactor redactor_for(const HostFacts& facts, const Plan& plan) {
    std::string dotenv = small_file(path_join(plan.worktree, ".env"), kMaxDotenv).value_or("");
    std::vector<std::string> secrets = known_secrets(facts, dotenv);
    for (const EnvironmentEntry& entry : plan.environment) {
        if (is_secret_variable(entry.name)) {
            secrets.push_back(entry.value);
        }
    }
    return Redactor(std::move(secrets));
}

}  // namespace sbx::cli
