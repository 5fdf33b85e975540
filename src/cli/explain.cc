// sbx explain: what a command would get, and why.
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>

#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/output.h"
#include "cli/prepare.h"
#include "cli/secrets.h"
#include "host/gather.h"
#include "host/resolve.h"
#include "plan/environment.h"
#include "plan/query.h"
#include "policy/values.h"
#include "policy/zones.h"
#include "run/console.h"
#include "run/run.h"
#include "util/text.h"

namespace sbx::cli {
namespace {

/// One question and its answer.
struct Answer {
    std::string subject;   ///< "path", "port", "variable"
    std::string name;
    std::string words;     ///< "read yes, write no"
    std::string why;
    std::string change;    ///< what would change it; "" when nothing is missing
    std::string json;      ///< the answer's own members
};

const char* yes_no(bool value) { return value ? "yes" : "no"; }

std::string where(const Mount& mount) {
    std::string out = mount.rule.empty() ? "a fixed part of the sandbox" : mount.rule;
    return out + " (" + printable_line(mount.origin.text()) + "), on " + printable_line(mount.destination);
}

/// Which flag and key would allow it, or why nothing does.
std::string change_for(const Prepared& prepared, const std::string& path, const PathAnswer& answer) {
    const Policy& policy = prepared.loaded.policy;
    if (answer.readable && answer.writable) {
        return "";
    }
    if (answer.mount != nullptr && answer.mount->purpose == Purpose::Guard) {
        return "the guard: " + answer.mount->rule + "; see man sbx.toml";
    }
    PathUse use = answer.readable ? PathUse::Write : PathUse::Read;
    PathEntry entry;
    entry.text = path;
    entry.origin = Origin::flag(use == PathUse::Write ? "--write" : "--read");
    if (auto allowed = check_grant(policy, prepared.facts, entry, use); !allowed) {
        return "nothing: " + allowed.error().message + (allowed.error().hint.empty() ? "" : "; " + allowed.error().hint);
    }
    return use == PathUse::Write ? "--write " + shell_quote(path) + ", or sandbox.allowedWritePaths"
                                 : "--read " + shell_quote(path) + ", or sandbox.allowedReadPaths";
}

Result<Answer> about_path(const Prepared& prepared, const Plan& plan, const std::string& word) {
    SBX_CHECK(check_path_text(word));
    PathEntry entry;
    entry.text = word;
    entry.base = prepared.facts.cwd;
    PathFacts found = look_at(expand_path(entry, prepared.facts));
    const std::string& path = found.resolved;
    PathAnswer answer = query_path(plan, path);
    Answer out;
    out.subject = "path";
    out.name = path;
    bool exists = found.kind != FileKind::Missing;
    bool host_reads = !exists || access(path.c_str(), R_OK) == 0;
    bool reads = answer.readable && host_reads;
    bool writes = answer.writable && (!exists || found.writable);
    out.words = fmt::format("see {}, read {}, write {}", yes_no(answer.visible), yes_no(reads), yes_no(writes));
    out.why = answer.mount != nullptr        ? where(*answer.mount)
              : plan.backend == Backend::Native ? "there is no sandbox"
              : answer.visible               ? "it leads to something that is granted"
                                             : "nothing grants it";
    if (!exists) {
        out.why += "; it does not exist";
    } else if ((answer.readable && !reads) || (answer.writable && !writes)) {
        out.why += "; the file's own permissions forbid the rest";
    }
    out.change = change_for(prepared, path, answer);
    out.json = fmt::format("\"visible\": {}, \"read\": {}, \"write\": {}, \"exists\": {}", answer.visible, reads, writes,
                           exists);
    return out;
}

Result<Answer> about_port(const Prepared& prepared, const Plan& plan, const std::string& text) {
    int port = 0;
    auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (status != std::errc() || rest != text.data() + text.size() || port < 1 || port > 65535) {
        return Error{"usage", "--port: \"" + printable_line(text) + "\" is not a port", ""};
    }
    bool binds = query_bind(plan, static_cast<uint16_t>(port));
    Answer out;
    out.subject = "port";
    out.name = text;
    out.words = fmt::format("listen {}", yes_no(binds));
    out.why = std::string("network ") + (plan.network.mode == NetworkMode::On ? "on" : "off") + " (" +
              printable_line(plan.network.origin.text()) + ")";
    if (!binds) {
        bool reserved = port == kReservedPort && !prepared.loaded.policy.port_4040_override.value;
        out.change = plan.network.mode == NetworkMode::Off ? "--network on, or sandbox.network" : "";
        if (port == kReservedPort && plan.backend == Backend::SandboxExec) {
            out.change = "nothing: with sandbox-exec port 4040 stays closed";
        } else if (reserved) {
            out.change += out.change.empty() ? "sandbox.allowPort4040Override" : "; and sandbox.allowPort4040Override";
        } else if (out.change.empty()) {
            out.change = "sandbox.allowedPorts";
        }
    }
    out.json = fmt::format("\"bind\": {}", binds);
    return out;
}

Answer about_variable(const Plan& plan, const HostFacts& facts, const std::string& name) {
    const EnvironmentEntry* entry = query_environment(plan, name);
    Answer out;
    out.subject = "variable";
    out.name = name;
    out.words = fmt::format("passed {}", yes_no(entry != nullptr));
    if (entry != nullptr) {
        out.why = printable_line(entry->origin.text());
    } else {
        out.why = facts.variable(name) == nullptr ? "it is not set"
                  : is_sensitive_variable(name) ? "its name looks like a secret or makes programs load code"
                                                : "it is not in the list of variables that are passed on";
        out.change = "--env " + name + ", or sandbox.env.pass";
    }
    out.json = fmt::format("\"passed\": {}", entry != nullptr);
    return out;
}

std::string text_of(const Answer& answer) {
    std::string out = fmt::format("{} {}: {}\n  because   {}\n", answer.subject, printable_line(answer.name),
                                  answer.words, answer.why);
    if (!answer.change.empty()) {
        out += fmt::format("  to change {}\n", printable_line(answer.change));
    }
    return out;
}

std::string json_of(const Answer& answer) {
    return fmt::format("{{{}: {}, {}, \"because\": {}, \"change\": {}}}", json_quote(answer.subject),
                       json_quote(answer.name), answer.json, json_quote(answer.why), json_quote(answer.change));
}

Result<std::vector<Answer>> answers(const Prepared& prepared, const Plan& plan, const Arguments& arguments) {
    std::vector<Answer> out;
    for (const std::string& word : arguments.words) {
        SBX_ASSIGN(Answer answer, about_path(prepared, plan, word));
        out.push_back(std::move(answer));
    }
    for (const std::string& port : arguments.all("--port")) {
        SBX_ASSIGN(Answer answer, about_port(prepared, plan, port));
        out.push_back(std::move(answer));
    }
    for (const std::string& name : arguments.all("--env")) {
        out.push_back(about_variable(plan, prepared.facts, name));
    }
    return out;
}

int failed(const Error& error) {
    say(error);
    return error.code == "usage" ? kUsage : kNo;
}

}  // namespace

int explain(const Arguments& arguments) {
    auto prepared = prepare(arguments);
    if (!prepared) {
        return failed(prepared.error());
    }
    if (!prepared->loaded.errors.empty()) {
        report_errors(prepared->loaded, "there is nothing to explain");
        return kNo;
    }
    auto plan = plan_of(*prepared, arguments, {}, true);
    if (!plan) {
        return failed(plan.error());
    }
    Redactor redact = redactor_for(prepared->facts, prepared->loaded.policy);
    auto found = answers(*prepared, *plan, arguments);
    if (!found) {
        return failed(redacted(redact, found.error()));
    }
    std::string out;
    if (!found->empty()) {
        for (const Answer& answer : *found) {
            out += arguments.has("--json") ? (out.empty() ? "[" : ",\n ") + json_of(answer) : text_of(answer);
        }
        out += arguments.has("--json") ? "]\n" : "";
    } else if (arguments.has("--backend")) {
        auto text = describe_launch(without_values(*plan), prepared->facts);
        if (!text) {
            return failed(redacted(redact, text.error()));
        }
        out = *text + "\n";
    } else {
        out = arguments.has("--json") ? describe_json(*prepared, *plan) : describe_text(*prepared, *plan);
    }
    return print(redact(out));
}

}  // namespace sbx::cli
