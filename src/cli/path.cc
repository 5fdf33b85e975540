// sbx path: may a policy name this path? (Tatu's check_read and check_write)
#include <fmt/format.h>
#include <sys/stat.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/secrets.h"
#include "host/gather.h"
#include "host/resolve.h"
#include "policy/values.h"
#include "policy/zones.h"
#include "run/console.h"
#include "util/text.h"

namespace sbx::cli {
namespace {

// The caps of TatuEngine's zone table (H40).
constexpr int64_t kSafeCap = 500;
constexpr int64_t kRestrictedCap = 100;

Result<void> check_size(const ZoneAnswer& answer, const std::string& resolved) {
    struct stat status {};
    if (stat(resolved.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
        return {};
    }
    bool safe = answer.zone == Zone::Safe;
    int64_t cap = safe ? kSafeCap : kRestrictedCap;
    if (static_cast<int64_t>(status.st_size) > cap * 1'000'000) {
        return Error{"oversized",
                     fmt::format("File too large for the {} zone (>{} MB): {}", safe ? "SAFE" : "RESTRICTED", cap,
                                 printable_line(resolved)),
                     ""};
    }
    return {};
}

Result<std::string> answer_for(const Policy& policy, const HostFacts& facts, const std::string& word, PathUse use) {
    SBX_CHECK(check_path_text(word));
    PathEntry entry;
    entry.text = word;
    entry.base = facts.cwd;
    PathFacts found = look_at(expand_path(entry, facts));
    // A link can lead to any name; a line of the answer is one path.
    if (printable_line(found.resolved) != found.resolved) {
        return Error{"invalid_path", "Path contains a control character: " + printable_line(found.resolved), ""};
    }
    SBX_CHECK(check_path(policy, facts, found.resolved, use));
    SBX_CHECK(check_size(classify(policy, facts, found.resolved), found.resolved));
    return found.resolved;
}

}  // namespace

int path(const Arguments& arguments) {
    bool read = arguments.has("--read");
    bool write = arguments.has("--write");
    if (read == write || arguments.words.empty()) {
        say(Error{"usage", "say --read or --write, and the paths", "sbx path --read PATH..."});
        return kUsage;
    }
    auto facts = gather_caller();
    if (!facts) {
        say(facts.error());
        return kNo;
    }
    LoadedPolicy loaded = load_redacted(*facts, policy_request(arguments));
    if (!loaded.errors.empty()) {
        report_errors(loaded, "nothing was checked");
        return kNo;
    }
    if (auto gathered = gather_for_policy(loaded.policy, *facts); !gathered) {
        say(gathered.error());
        return kNo;
    }
    int status = 0;
    std::string out;
    for (const std::string& word : arguments.words) {
        auto answer = answer_for(loaded.policy, *facts, word, write ? PathUse::Write : PathUse::Read);
        if (answer) {
            out += *answer + "\n";
        } else {
            say(redacted(redactor_for(*facts, loaded.policy), answer.error()));
            status = kNo;
        }
    }
    return print(out) == 0 ? status : kNo;
}

}  // namespace sbx::cli
