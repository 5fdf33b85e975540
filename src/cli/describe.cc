#include "cli/describe.h"

#include <fmt/format.h>

#include <vector>

#include "policy/schema.h"
#include "util/text.h"

namespace sbx::cli {
namespace {

std::string_view role_text(const PolicySource& source) {
    switch (source.role) {
        case PolicySource::Role::System: return "of this machine";
        case PolicySource::Role::User: return "yours";
        case PolicySource::Role::Project: return source.trusted ? "the project's, trusted" : "the project's, only narrows";
        case PolicySource::Role::Named: return "named";
        case PolicySource::Role::Profile: return "shipped profile";
    }
    return "";
}

std::string_view purpose_text(Purpose purpose) {
    switch (purpose) {
        case Purpose::System: return "system";
        case Purpose::Device: return "devices";
        case Purpose::Temp: return "temporary";
        case Purpose::Home: return "home";
        case Purpose::Toolchain: return "toolchain";
        case Purpose::Worktree: return "worktree";
        case Purpose::Git: return "git";
        case Purpose::ReadGrant: return "read grant";
        case Purpose::WriteGrant: return "write grant";
        case Purpose::Policy: return "policy";
        case Purpose::Pin: return "pinned";
        case Purpose::Guard: return "guard";
        case Purpose::Mask: return "hidden";
    }
    return "";
}

std::string_view access_text(const Mount& mount) {
    switch (mount.kind) {
        case Mount::Kind::Bind: return mount.access == Access::Write ? "write" : "read";
        case Mount::Kind::Tmpfs: return "private";
        case Mount::Kind::Kept: return "kept";
        case Mount::Kind::Directory: return "empty";
        case Mount::Kind::Symlink: return "link";
        case Mount::Kind::File: return "made";
        case Mount::Kind::Devices:
        case Mount::Kind::Processes: return "own";
        case Mount::Kind::Terminal: return "write";
        case Mount::Kind::Mask: return "none";
        case Mount::Kind::Pinned: return "link";
    }
    return "";
}

std::string origins_text(const std::vector<Origin>& origins) {
    std::string out;
    for (const Origin& origin : origins) {
        std::string text = printable_line(origin.text());
        if (out.find(text) == std::string::npos) {
            out += (out.empty() ? "" : ", ") + text;
        }
    }
    return out.empty() ? "built-in" : out;
}

bool is_changed(const KeyValue& value) {
    for (const Origin& origin : value.origins) {
        if (origin.kind != Origin::Kind::BuiltIn) {
            return true;
        }
    }
    return false;
}

/// Settings that are not the built-in ones; one line each.
std::string settings_text(const Policy& policy) {
    std::string out;
    for (const Key& key : schema()) {
        KeyValue value = key_value(key, policy);
        if (is_changed(value) && key.type != KeyType::OnOff) {
            out += fmt::format("  {:<44} {}\n", fmt::format("{} = {}", key.name, value.text), origins_text(value.origins));
        }
    }
    return out.empty() ? "  everything is as built in\n" : out;
}

std::string limits_text(const Limits& limits) {
    std::string out;
    auto add = [&](const char* name, const auto& value, const char* unit) {
        if (value) {
            out += fmt::format("  {:<14} {} {}\n", name, *value, unit);
        }
    };
    add("timeout", limits.timeout_ms, "ms");
    add("memory", limits.memory, "bytes");
    add("processes", limits.processes, "");
    add("cpus", limits.cpus, "");
    add("file size", limits.file_size, "bytes");
    add("open files", limits.open_files, "");
    return out.empty() ? "  none\n" : out;
}

std::string network_text(const NetworkPlan& network) {
    std::string out = network.mode == NetworkMode::On ? "on" : "off";
    if (network.mode == NetworkMode::On) {
        std::string ports;
        for (uint16_t port : network.ports) {
            ports += " " + std::to_string(port);
        }
        out += !ports.empty() ? "; may listen on" + ports : network.allow_4040 ? "" : "; may listen on every port but 4040";
    }
    return out;
}

}  // namespace

std::string_view backend_name(Backend backend) {
    switch (backend) {
        case Backend::Native: return "native";
        case Backend::Bubblewrap: return "bubblewrap";
        case Backend::SandboxExec: return "sandbox-exec";
        case Backend::Container: return "container";
    }
    return "";
}

std::string describe_text(const Prepared& prepared, const Plan& plan) {
    std::string out = "Policies\n";
    for (const PolicySource& source : prepared.loaded.sources) {
        out += fmt::format("  {:<44} {}\n", printable_line(source.name), role_text(source));
    }
    if (prepared.loaded.sources.empty()) {
        out += "  none; the defaults apply\n";
    }
    out += "\nSettings\n" + settings_text(prepared.loaded.policy);
    out += fmt::format("\nRun\n  {:<14} {}{}\n  {:<14} {}\n  {:<14} {}\n  {:<14} {}\n", "backend",
                       backend_name(plan.backend), plan.backend == Backend::Native ? " (NO SANDBOX)" : "", "worktree",
                       printable_line(plan.worktree), "starts in", printable_line(plan.cwd), "home",
                       printable_line(plan.home));
    out += fmt::format("  {:<14} {}   ({})\n", "network", network_text(plan.network), origins_text({plan.network.origin}));
    if (plan.tainted || plan.untrusted) {
        out += fmt::format("  {:<14} {}\n", "trust", plan.untrusted ? "untrusted" : "tainted");
    }
    out += "\nFiles (later lines lie over earlier ones)\n";
    for (const Mount& mount : plan.mounts) {
        std::string name = printable_line(mount.destination);
        if (mount.kind == Mount::Kind::Symlink) {
            name += " -> " + printable_line(mount.source);
        } else if ((mount.kind == Mount::Kind::Bind && mount.source != mount.destination) || mount.kind == Mount::Kind::Kept) {
            name += " <- " + printable_line(mount.source);
        }
        out += fmt::format("  {:<8} {:<12} {:<44} {}{}\n", access_text(mount), purpose_text(mount.purpose), name,
                           mount.rule.empty() ? "" : printable_line(mount.rule) + ": ", origins_text({mount.origin}));
    }
    out += "\nEnvironment (values are not shown)\n";
    for (const EnvironmentEntry& entry : plan.environment) {
        out += fmt::format("  {:<30} {}\n", printable_line(entry.name), origins_text({entry.origin}));
    }
    out += "\nLimits\n" + limits_text(plan.limits);
    for (const auto* lines : {&plan.warnings, &plan.notes}) {
        for (const std::string& line : *lines) {
            out += fmt::format("\nnote: {}\n", printable_line(line));
        }
    }
    return out;
}

std::string describe_json(const Prepared& prepared, const Plan& plan) {
    auto join = [](const std::vector<std::string>& items) {
        std::string out;
        for (const std::string& item : items) {
            out += (out.empty() ? "" : ", ") + item;
        }
        return out;
    };
    std::vector<std::string> settings;
    for (const Key& key : schema()) {
        KeyValue value = key_value(key, prepared.loaded.policy);
        settings.push_back(fmt::format("{{\"key\": {}, \"value\": {}, \"origin\": {}}}", json_quote(key.name),
                                       json_quote(value.text), json_quote(origins_text(value.origins))));
    }
    std::vector<std::string> mounts;
    for (const Mount& mount : plan.mounts) {
        mounts.push_back(fmt::format(
            "{{\"access\": {}, \"purpose\": {}, \"destination\": {}, \"source\": {}, \"rule\": {}, \"origin\": {}}}",
            json_quote(access_text(mount)), json_quote(purpose_text(mount.purpose)), json_quote(mount.destination),
            json_quote(mount.source), json_quote(mount.rule), json_quote(mount.origin.text())));
    }
    std::vector<std::string> variables;
    for (const EnvironmentEntry& entry : plan.environment) {
        variables.push_back(
            fmt::format("{{\"name\": {}, \"origin\": {}}}", json_quote(entry.name), json_quote(entry.origin.text())));
    }
    std::vector<std::string> notes;
    for (const auto* lines : {&plan.warnings, &plan.notes}) {
        for (const std::string& line : *lines) {
            notes.push_back(json_quote(line));
        }
    }
    return fmt::format(
        "{{\"backend\": {}, \"worktree\": {}, \"cwd\": {}, \"home\": {}, \"network\": {}, \"tainted\": {}, "
        "\"untrusted\": {}, \"settings\": [{}], \"mounts\": [{}], \"environment\": [{}], \"notes\": [{}]}}\n",
        json_quote(backend_name(plan.backend)), json_quote(plan.worktree), json_quote(plan.cwd), json_quote(plan.home),
        json_quote(plan.network.mode == NetworkMode::On ? "on" : "off"), plan.tainted, plan.untrusted, join(settings),
        join(mounts), join(variables), join(notes));
}

}  // namespace sbx::cli
