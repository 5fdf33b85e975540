// sbx trust: accept a project's own policy as it is now.
#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/secrets.h"
#include "host/gather.h"
#include "host/resolve.h"
#include "policy/notes.h"
#include "policy/policy_file.h"
#include "policy/trust.h"
#include "run/console.h"
#include "util/text.h"

namespace sbx::cli {
namespace {

int failed(const Error& error) {
    say(error);
    return kNo;
}

int list(const TrustStore& store) {
    std::string out;
    for (const TrustRecord& record : store.list()) {
        auto text = read_policy_file(record.path, {true, true});
        const char* state = !text                                                               ? "unreadable"
                            : store.state(record.path, text->text) == TrustState::Trusted ? "trusted"
                                                                                          : "changed";
        out += fmt::format("{:<10} {}  {}\n", state, record.sha256.substr(0, 12), printable_line(record.path));
    }
    return print(out);
}

int revoke(const TrustStore& store, const std::string& file) {
    // The file may be gone; its record shall go all the same.
    std::string path = look_at(file).resolved;
    auto removed = store.revoke(path);
    if (!removed) {
        return failed(removed.error());
    }
    if (!*removed) {
        say(fmt::format("{} was not trusted", printable_line(path)));
        return kNo;
    }
    say(fmt::format("{} may only narrow from now on", printable_line(path)));
    return 0;
}

int accept(const TrustStore& store, HostFacts& facts, const std::string& file) {
    auto text = read_policy_file(file, {true, true});
    if (!text) {
        return failed({text.error().code, printable_line(file) + ": " + text.error().message, text.error().hint});
    }
    PolicyRequest request;
    request.only_named = true;
    request.named.push_back({false, file});
    LoadedPolicy loaded = load_redacted(facts, request);
    if (!loaded.errors.empty()) {
        report_errors(loaded, "it was not trusted");
        return kNo;
    }
    if (auto recorded = store.trust(text->path, text->text); !recorded) {
        return failed(recorded.error());
    }
    for (const SecurityNote& note : security_notes(loaded, {})) {
        say("note: " + printable_line(note.message));
    }
    say(fmt::format("{} is trusted until it changes; sbx trust --revoke takes it back", printable_line(text->path)));
    return 0;
}

}  // namespace

int trust(const Arguments& arguments) {
    auto facts = gather_caller();
    if (!facts) {
        return failed(facts.error());
    }
    if (arguments.words.size() > 1) {
        say(Error{"usage", "sbx trust takes one file", ""});
        return kUsage;
    }
    TrustStore store(facts->state_dir);
    if (arguments.has("--list")) {
        return list(store);
    }
    std::string file;
    if (arguments.words.empty()) {
        file = find_project_policy(*facts).file;
        if (file.empty()) {
            return failed({"not_found", "there is no sbx.toml here", "name the policy: sbx trust FILE"});
        }
    } else {
        const std::string& word = arguments.words[0];
        file = word.rfind('/', 0) == 0 ? word : path_join(facts->cwd, word);
    }
    return arguments.has("--revoke") ? revoke(store, file) : accept(store, *facts, file);
}

}  // namespace sbx::cli
