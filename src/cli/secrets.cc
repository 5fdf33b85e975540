#include "cli/secrets.h"

#include <algorithm>

#include "host/gather.h"
#include "host/resolve.h"
#include "plan/environment.h"
#include "util/text.h"

namespace sbx::cli {
namespace {

constexpr size_t kMaxDotenv = 65536;
constexpr std::string_view kMarker = "[redacted]";

std::string dotenv_texts(const HostFacts& facts) {
    std::string text;
    for (std::string here = facts.cwd; here != "/"; here = path_parent(here)) {
        if (!facts.home.empty() && path_within(facts.home, here)) {
            break;
        }
        text += small_file(path_join(here, ".env"), kMaxDotenv).value_or("") + "\n";
        if (kind_of(path_join(here, ".git")) != FileKind::Missing) {
            break;
        }
    }
    return text;
}

void redact_line(const Redactor& redact, Diagnostic& diagnostic) {
    std::string line = redact(diagnostic.source_line);
    if (line != diagnostic.source_line) {
        size_t before = diagnostic.caret > 0 ? diagnostic.caret - 1 : 0;
        size_t column = redact(diagnostic.source_line.substr(0, before)).size() + 1;
        diagnostic.caret = static_cast<uint32_t>(std::min(column, line.size()));
        diagnostic.source_line = std::move(line);
    }
}

}  // namespace

Redactor redactor_for(const HostFacts& facts, const Policy& policy) {
    std::vector<std::string> secrets = known_secrets(facts, dotenv_texts(facts));
    for (const auto& [name, setting] : policy.environment.set) {
        if (is_secret_variable(name)) {
            secrets.push_back(setting.value);
        }
    }
    return Redactor(secrets);
}

LoadedPolicy load_redacted(HostFacts& facts, const PolicyRequest& request) {
    LoadedPolicy loaded = load_policy(facts, request);
    resolve_policy_paths(loaded.policy, facts);
    check_grants(facts, loaded);
    if (loaded.errors.empty() && loaded.notes.empty() && loaded.warnings.empty()) {
        return loaded;
    }
    Redactor redact = redactor_for(facts, loaded.policy);
    for (Diagnostic& error : loaded.errors) {
        error.message = redact(error.message);
        error.hint = redact(error.hint);
        redact_line(redact, error);
    }
    redact_all(redact, loaded.notes);
    redact_all(redact, loaded.warnings);
    return loaded;
}

Error redacted(const Redactor& redact, Error error) {
    return {std::move(error.code), redact(error.message), redact(error.hint)};
}

void redact_all(const Redactor& redact, std::vector<std::string>& texts) {
    for (std::string& text : texts) {
        text = redact(text);
    }
}

Plan without_values(Plan plan) {
    for (EnvironmentEntry& entry : plan.environment) {
        if (is_secret_variable(entry.name) || entry.origin.kind != Origin::Kind::BuiltIn) {
            entry.value = kMarker;
        }
    }
    return plan;
}

}  // namespace sbx::cli
