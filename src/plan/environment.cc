#include "plan/environment.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "plan/mac.h"
#include "plan/places.h"
#include "util/text.h"

namespace sbx {
namespace {

// Fusion's list (F19), then what a terminal session and make need.
constexpr std::array<std::string_view, 21> kPassed = {
    "PATH", "HOME", "USER", "LANG", "LC_*", "NODE_*", "npm_*", "PNPM_*", "CI", "FUSION_*", "TERM", "COLORTERM",
    "NO_COLOR", "TZ", "LOGNAME", "SHELL", "LANGUAGE", "MAKEFLAGS", "MAKELEVEL", "COLUMNS", "LINES"};

// Variables that make a program run or load what they name.
constexpr std::array<std::string_view, 34> kInjecting = {
    "BASH_ENV", "BASHOPTS", "CDPATH", "ENV", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_ASKPASS",
    "GIT_COMMON_DIR", "GIT_CONFIG_COUNT", "GIT_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_SSH",
    "GIT_SSH_COMMAND", "GIT_WORK_TREE", "JAVA_TOOL_OPTIONS", "NODE_OPTIONS", "NODE_PATH",
    "NODE_REPL_EXTERNAL_MODULE", "NPM_CONFIG_USERCONFIG", "NPM_CONFIG_GLOBALCONFIG", "NPM_CONFIG_SCRIPT_SHELL",
    "NPM_CONFIG_NODE_OPTIONS", "PERL5OPT", "PROMPT_COMMAND", "PYTHONHOME", "PYTHONPATH", "RUBYOPT", "SHELLOPTS",
    "SSH_ASKPASS", "PGPASSFILE", "PGPASSWORD", "IFS", "PS4", "GIT_CONFIG_PARAMETERS"};

constexpr std::array<std::string_view, 19> kSecretWords = {
    "API_KEY", "ACCESS_KEY", "AUTH", "AUTHTOKEN", "AUTHORIZATION", "CREDENTIAL", "CREDENTIALS", "COOKIE", "OAUTH",
    "PRIVATE_KEY", "SESSION", "SECRET", "SECRETS", "TOKEN", "TOKENS", "PASS", "PASSWORD", "PASSWD", "PASSPHRASE"};

constexpr std::array<std::string_view, 9> kDatabases = {"DATABASE", "DB",    "MARIADB",  "MONGO",     "MONGODB",
                                                        "MYSQL",    "REDIS", "POSTGRES", "POSTGRESQL"};
constexpr std::array<std::string_view, 3> kAddresses = {"DSN", "URI", "URL"};

std::string upper(std::string_view text) {
    std::string out(text);
    for (char& c : out) {
        if (c >= 'a' && c <= 'z') {
            c = static_cast<char>(c - 'a' + 'A');
        }
    }
    return out;
}

/// `word` stands at the beginning of `rest`, up to an underscore or the end.
bool begins_with_word(std::string_view rest, std::string_view word) {
    return rest.substr(0, word.size()) == word && (rest.size() == word.size() || rest[word.size()] == '_');
}

template <typename Words>
std::string_view first_word(std::string_view rest, const Words& words) {
    for (std::string_view word : words) {
        if (rest.front() == word.front() && begins_with_word(rest, word)) {
            return word;
        }
    }
    return {};
}

/// DATABASE_URL, MONGO_URI and the like: such an address usually has a password in it.
bool names_database(std::string_view rest) {
    std::string_view database = first_word(rest, kDatabases);
    return !database.empty() && rest.size() > database.size() + 1 &&
           !first_word(rest.substr(database.size() + 1), kAddresses).empty();
}

bool matches(std::string_view name, std::string_view pattern) {
    if (!pattern.empty() && pattern.back() == '*') {
        pattern.remove_suffix(1);
        return name.substr(0, pattern.size()) == pattern;
    }
    return name == pattern;
}

/// The origin of the rule that passes `name`; nullptr when none does.
const Origin* passing_rule(const std::string& name, const Policy& policy, bool sensitive) {
    static const Origin built_in;
    for (const auto& entry : policy.environment.pass) {
        bool exact = entry.text == name;
        if (exact || (!sensitive && matches(name, entry.text))) {
            return &entry.origin;
        }
    }
    if (sensitive) {
        return nullptr;
    }
    for (auto pattern : kPassed) {
        if (matches(name, pattern)) {
            return &built_in;
        }
    }
    return nullptr;
}

}  // namespace

bool is_secret_variable(const std::string& name) {
    // Words stand between underscores or ends: NPM_TOKEN holds TOKEN, TOKENIZER does not.
    std::string folded = upper(name);
    for (std::string_view rest = folded; !rest.empty();) {
        if (!first_word(rest, kSecretWords).empty() || names_database(rest)) {
            return true;
        }
        size_t underscore = rest.find('_');
        rest.remove_prefix(underscore == std::string_view::npos ? rest.size() : underscore + 1);
    }
    return false;
}

bool is_sensitive_variable(const std::string& name) {
    std::string folded = upper(name);
    bool loads = folded.rfind("DYLD_", 0) == 0 || folded.rfind("LD_", 0) == 0 ||
                 std::find(kInjecting.begin(), kInjecting.end(), folded) != kInjecting.end();
    return loads || is_secret_variable(name);
}

std::vector<EnvironmentEntry> plan_environment(const Policy& policy, const HostFacts& facts, const Plan& plan,
                                               std::vector<std::string>& dropped) {
    std::vector<EnvironmentEntry> out;
    auto put = [&](const std::string& name, const std::string& value, const Origin& origin) {
        for (auto& entry : out) {
            if (entry.name == name) {
                entry = {name, value, origin};
                return;
            }
        }
        out.push_back({name, value, origin});
    };
    for (const auto& [name, value] : facts.environment) {
        bool sensitive = is_sensitive_variable(name);
        const Origin* rule = passing_rule(name, policy, sensitive);
        if (rule != nullptr) {
            put(name, value, *rule);
        } else if (sensitive && passing_rule(name, policy, false) != nullptr) {
            dropped.push_back(name);
        }
    }
    const Origin built_in;
    // Through a link the caller's spelling stays: the link is there inside as well.
    bool same_home = plan.home == facts.home && !facts.home_as_given.empty();
    put("HOME", same_home ? facts.home_as_given : plan.home, built_in);
    put("PWD", plan.cwd == facts.cwd ? facts.cwd_logical : plan.cwd, built_in);
    if (plan.backend == Backend::SandboxExec) {
        put("TMPDIR", mac_places(facts).temp, built_in);
        for (const auto& entry : mac_toolchain_environment(facts)) {
            put(entry.name, entry.value, entry.origin);
        }
    } else {
        put("TMPDIR", kTempDirectory, built_in);
        put("XDG_RUNTIME_DIR", runtime_directory(facts), built_in);
    }
    put("SBX_SANDBOX", "1", built_in);
    if (plan.tainted || plan.untrusted) {  // a run inside only tightens (P18)
        put("SBX_TAINTED", "1", plan.tainted ? policy.tainted.origin : policy.trust.origin);
    }
    for (const auto& [name, value] : policy.environment.set) {
        put(name, value.value, value.origin);
    }
    return out;
}

}  // namespace sbx
