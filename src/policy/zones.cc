#include "policy/zones.h"

#include <algorithm>
#include <iterator>

#include "host/gather.h"
#include "policy/patterns.h"
#include "util/text.h"

namespace sbx {
namespace {

// Never to be named, whoever asks. The command sees what it needs of them read-only anyway.
constexpr std::string_view kDeniedSystem[] = {"/etc",   "/sys",   "/proc",   "/boot", "/bin", "/sbin", "/lib",
                                              "/lib32", "/lib64", "/libx32", "/usr",  "/var", "/dev",  "/run",
                                              "/private/etc", "/private/var", "/System"};

// Below a denied folder, and still to be named.
constexpr std::string_view kSystemExceptions[] = {"/usr/share", "/var/log", "/run/media", "/private/var/log"};

// Shared folders: what lies in them may be named, they themselves may not.
constexpr std::string_view kSharedTemp[] = {"/tmp", "/var/tmp", "/dev/shm", "/private/tmp"};

constexpr std::string_view kFusion = ".fusion";
constexpr const char* kFusionMessage = "Sandbox policy cannot include writable paths under .fusion/.";

/// The one that `path` lies in; "" without one.
std::string_view system_exception(const std::string& path) {
    for (std::string_view exception : kSystemExceptions) {
        if (path_within(path, exception)) {
            return exception;
        }
    }
    return "";
}

/// The system folder that denies `path`; "" when none does.
std::string denying_system_folder(const Policy& policy, const std::string& path) {
    const std::string& strict = policy.zones.strict_tmp.value;
    for (std::string_view shared : kSharedTemp) {
        if (path_within(path, shared)) {
            bool allowed = path != shared && (strict.empty() || path_within(path, path_normalise(strict)));
            return allowed ? "" : std::string(shared);
        }
    }
    if (path == "/") {
        return "/";
    }
    if (!system_exception(path).empty()) {
        return "";
    }
    // The user's temporary folders of macOS are private to the user.
    if (path_within(path, "/private/var/folders")) {
        return "";
    }
    for (std::string_view folder : kDeniedSystem) {
        if (path_within(path, folder)) {
            return std::string(folder);
        }
    }
    return "";
}

std::string resolved_of(const HostFacts& facts, const PathEntry& entry) {
    std::string expanded = expand_path(entry, facts);
    auto found = facts.paths.find(expanded);
    return found == facts.paths.end() ? expanded : found->second.resolved;
}

bool in_any(const std::vector<PathEntry>& entries, const HostFacts& facts, const std::string& path,
            ZoneAnswer& answer) {
    for (const PathEntry& entry : entries) {
        std::string folder = resolved_of(facts, entry);
        if (path_within(path, folder)) {
            answer.rule = folder;
            answer.origin = entry.origin;
            return true;
        }
    }
    return false;
}

bool in_worktree(const Policy& policy, const HostFacts& facts, const std::string& path, ZoneAnswer& answer) {
    answer.rule = policy.worktree ? resolved_of(facts, *policy.worktree)
                  : facts.git     ? facts.git->top_level
                                  : facts.cwd;
    answer.origin = policy.worktree ? policy.worktree->origin : Origin::built_in();
    bool usable = answer.rule != "/" && !path_within(facts.home.empty() ? "/" : facts.home, answer.rule);
    return usable && path_within(path, answer.rule);
}

bool has_fusion_component(const std::string& path) {
    for (const std::string& component : path_components(path)) {
        if (lower(component) == kFusion) {
            return true;
        }
    }
    return false;
}

/// `…/.fusion/worktrees/NAME`, exactly (C13).
bool is_fusion_worktree(const std::string& path) {
    std::vector<std::string> components = path_components(path);
    size_t n = components.size();
    return n >= 3 && components[n - 3] == kFusion && components[n - 2] == "worktrees";
}

Error refuse(const Origin& origin, std::string code, const std::string& message, std::string hint = "") {
    bool named = origin.kind != Origin::Kind::BuiltIn;
    return {std::move(code), (named ? origin.text() + ": " : "") + message, std::move(hint)};
}

Error denied(const Origin& origin, const std::string& resolved, const ZoneAnswer& answer) {
    std::string hint;
    if (answer.origin.kind != Origin::Kind::BuiltIn) {
        hint = "the rule is written at " + answer.origin.text();
    } else if (answer.rule.find('/') == std::string::npos) {
        hint = "zones.exempt in your own policy names files that this rule leaves alone";
    } else if (answer.rule == "/tmp" || answer.rule == "/var/tmp") {
        hint = "name a folder of its own below it";
    }
    return refuse(origin, "denied",
                  "Path in DENIED zone: " + printable_line(resolved) + " (" + printable_line(answer.rule) + ")", hint);
}

/// The whole disk, and what holds sbx's own files, are nobody's to grant (C43, P46).
Result<void> check_own_files(const HostFacts& facts, const std::string& resolved, PathUse use, const Origin& origin) {
    if (resolved == "/") {
        return refuse(origin, "invalid_path", "Choose a specific folder rather than the whole disk.");
    }
    for (const std::string* own : {&facts.config_dir, &facts.state_dir, &facts.live_dir, &facts.journal_dir}) {
        bool inside = !own->empty() && path_within(resolved, *own);
        bool around = !own->empty() && path_within(*own, resolved) && use == PathUse::Write;
        if (inside || around) {
            return refuse(origin, "denied",
                          "refused: " + printable_line(resolved) + " holds sbx's own files (" + printable_line(*own) + ")",
                          "name the folders that the command needs one by one");
        }
    }
    if (use == PathUse::Write && !facts.executable.empty() && path_within(facts.executable, resolved)) {
        return refuse(origin, "denied", "refused: " + printable_line(resolved) + " holds sbx's own files (" +
                                            printable_line(facts.executable) + ")");
    }
    return {};
}

}  // namespace

ZoneAnswer classify(const Policy& policy, const HostFacts& facts, const std::string& resolved) {
    std::vector<DeniedPattern> patterns = denied_patterns(policy.zones);
    if (const DeniedPattern* pattern = denying_pattern(policy.zones, patterns, resolved)) {
        return {Zone::Denied, pattern->text, pattern->origin};
    }
    if (std::string folder = denying_system_folder(policy, resolved); !folder.empty()) {
        bool strict = std::find(std::begin(kSharedTemp), std::end(kSharedTemp), folder) != std::end(kSharedTemp);
        return {Zone::Denied, folder, strict ? policy.zones.strict_tmp.origin : Origin::built_in()};
    }
    ZoneAnswer answer;
    bool safe = in_worktree(policy, facts, resolved, answer) || in_any(policy.zones.safe, facts, resolved, answer) ||
                in_any(policy.write_paths, facts, resolved, answer);
    if (safe) {
        answer.zone = Zone::Safe;
        return answer;
    }
    bool restricted = in_any(policy.zones.restricted, facts, resolved, answer) ||
                      in_any(policy.read_paths, facts, resolved, answer);
    if (restricted) {
        answer.zone = Zone::Restricted;
        return answer;
    }
    if (std::string_view exception = system_exception(resolved); !exception.empty()) {
        return {Zone::Restricted, std::string(exception), Origin::built_in()};  // for reading (H23, H24)
    }
    for (std::string_view shared : kSharedTemp) {
        if (path_within(resolved, shared)) {
            return {Zone::Safe, std::string(shared), Origin::built_in()};
        }
    }
    if (!facts.home.empty() && path_within(resolved, facts.home)) {
        return {Zone::Restricted, facts.home, Origin::built_in()};
    }
    return {};
}

Result<void> check_path(const Policy& policy, const HostFacts& facts, const std::string& resolved, PathUse use) {
    std::string shown = printable_line(resolved);
    ZoneAnswer answer = classify(policy, facts, resolved);
    if (answer.zone == Zone::Denied) {
        return denied(Origin::built_in(), resolved, answer);
    }
    SBX_CHECK(check_own_files(facts, resolved, use, Origin::built_in()));
    if (use == PathUse::Read) {
        if (answer.zone == Zone::Outside) {
            return Error{"outside_zones", "Path outside SAFE and RESTRICTED: " + shown,
                         "zones.restricted or allowedReadPaths, in your own policy, would allow it"};
        }
        return {};
    }
    if (policy.zones.level.value == ZoneLevel::Restricted) {
        return refuse(policy.zones.level.origin, "outside_zones", "Write in RESTRICTED sandbox not allowed: " + shown);
    }
    if (answer.zone != Zone::Safe) {
        return Error{"outside_zones", "Write outside SAFE: " + shown,
                     "zones.safe or allowedWritePaths, in your own policy, would allow it"};
    }
    if (has_fusion_component(resolved)) {
        return Error{"denied", kFusionMessage, ""};
    }
    return {};
}

Result<void> check_grant(const Policy& policy, const HostFacts& facts, const PathEntry& entry, PathUse use) {
    std::string resolved = resolved_of(facts, entry);
    std::string shown = printable_line(resolved);
    SBX_CHECK(check_own_files(facts, resolved, use, entry.origin));
    ZoneAnswer answer = classify(policy, facts, resolved);
    if (answer.zone == Zone::Denied) {
        return denied(entry.origin, resolved, answer);
    }
    if (use == PathUse::Write) {
        if (std::string_view exception = system_exception(resolved); !exception.empty() && exception != "/run/media") {
            return refuse(entry.origin, "denied", "Path in DENIED zone: " + shown + " (" + std::string(exception) + ")",
                          "it may be named for reading: sandbox.allowedReadPaths, --read");
        }
        if (policy.zones.level.value == ZoneLevel::Restricted) {
            return refuse(entry.origin, "outside_zones", "Write in RESTRICTED sandbox not allowed: " + shown,
                          "zones.level is set at " + policy.zones.level.origin.text());
        }
        if (has_fusion_component(resolved) || has_fusion_component(expand_path(entry, facts))) {
            return refuse(entry.origin, "invalid_path", kFusionMessage);
        }
    }
    if (!entry.confined_to.empty()) {
        auto project = facts.paths.find(entry.confined_to);
        const std::string& folder = project == facts.paths.end() ? entry.confined_to : project->second.resolved;
        if (!path_within(resolved, folder)) {
            return refuse(entry.origin, "not_trusted",
                          "a policy found in the project may grant paths of the project only, and this leads to " + shown,
                          "name it with --read, or trust the policy: sbx trust");
        }
    }
    return {};
}

Result<void> check_worktree(const Policy& policy, const HostFacts& facts, const std::string& resolved,
                            const Origin& origin) {
    std::string shown = printable_line(resolved);
    std::string hint = "change to a project folder, or name one: sandbox.worktree in the policy, or --folder DIR";
    if (resolved == "/") {
        return refuse(origin, "invalid_folder", "Choose a specific folder rather than the whole disk.", hint);
    }
    if (!facts.home.empty() && path_within(facts.home, resolved)) {
        std::string why = resolved == facts.home
                              ? ": the home directory as a worktree would hand everything in it to the command"
                              : ": this folder holds the home directory";
        return refuse(origin, "invalid_folder", shown + why, hint);
    }
    for (const std::string* own : {&facts.config_dir, &facts.state_dir, &facts.live_dir, &facts.journal_dir}) {
        if (!own->empty() && (path_within(*own, resolved) || path_within(resolved, *own))) {
            return refuse(origin, "invalid_folder",
                          "refused: " + shown + " holds sbx's own files (" + printable_line(*own) + ")", hint);
        }
    }
    ZoneAnswer answer = classify(policy, facts, resolved);
    // Tatu's rule for /var is about naming paths; a project in /var/www or /var/lib/jenkins is one.
    bool in_var = answer.rule == "/var" && resolved != "/var" && !path_within(resolved, "/var/run");
    if (answer.zone == Zone::Denied && !in_var) {
        Error error = denied(origin, resolved, answer);
        error.code = "invalid_folder";
        error.hint = error.hint.empty() ? hint : error.hint;
        return error;
    }
    if (has_fusion_component(resolved)) {
        if (!policy.allow_fusion_worktree.value) {
            return refuse(origin, "invalid_path", kFusionMessage,
                          "sandbox.allowFusionWorktree = true permits a worktree below .fusion/worktrees/");
        }
        if (!is_fusion_worktree(resolved)) {
            return refuse(origin, "invalid_path", kFusionMessage,
                          "sandbox.allowFusionWorktree permits .fusion/worktrees/NAME, and nothing else below .fusion");
        }
    }
    return {};
}

std::vector<std::string> own_directories_in(const HostFacts& facts, const std::string& resolved) {
    std::vector<std::string> found;
    for (const std::string* own : {&facts.config_dir, &facts.state_dir, &facts.live_dir, &facts.journal_dir}) {
        if (!own->empty() && path_within(*own, resolved)) {
            found.push_back(*own);
        }
    }
    return found;
}

}  // namespace sbx
