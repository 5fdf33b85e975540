#include "policy/notes.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include "plan/environment.h"
#include "policy/narrow.h"
#include "policy/schema.h"
#include "util/text.h"

namespace sbx {
namespace {

constexpr size_t kNamed = 3;

class Notes {
  public:
    explicit Notes(const LoadedPolicy& loaded) : loaded_(loaded), policy_(loaded.policy) {}

    std::vector<SecurityNote> all(const Surroundings& around) {
        confinement();
        sources();
        network();
        environment();
        guards();
        guest(around);
        wider_keys();
        for (const FileAccess& file : around.files) {
            readable(file);
        }
        return std::move(notes_);
    }

  private:
    void add(std::string code, const std::string& message, const Origin& origin, std::string_view key = "") {
        notes_.push_back({std::move(code), message + " (" + printable_line(origin.text()) + ")"});
        if (!key.empty()) {
            told_.push_back(key);
        }
    }

    void confinement() {
        bool bypass = policy_.mode.value == Mode::Bypass;
        if (bypass) {
            add("bypass", "mode bypass: commands run without a sandbox, in your whole account", policy_.mode.origin,
                "sandbox.mode");
            told_.push_back("sandbox.backend");
        }
        if (policy_.backend.value == BackendChoice::Native && !bypass) {
            add("native", "backend native: commands run without a sandbox", policy_.backend.origin, "sandbox.backend");
        }
        if (policy_.failure_mode.value == FailureMode::FallbackNative) {
            add("fallback", "fallback-native: where the backend is missing, commands run without a sandbox",
                policy_.failure_mode.origin, "sandbox.failureMode");
        }
        if (policy_.bypass_when_tainted.value) {
            add("bypass_when_tainted",
                "bypassWhenTainted: bypass holds in tainted runs, and the guards on instruction files and git "
                "settings do not",
                policy_.bypass_when_tainted.origin, "sandbox.bypassWhenTainted");
        }
        if (policy_.nested.value == Nested::Weaker) {
            add("nested_weaker", "nested weaker: the command shares /proc with its container", policy_.nested.origin,
                "sandbox.nested");
        }
    }

    void sources() {
        for (const PolicySource& source : loaded_.sources) {
            if (source.role == PolicySource::Role::Project && source.trusted) {
                notes_.push_back({"trusted_project_policy",
                                  "the project's own policy is trusted and may widen (" + printable_line(source.name) +
                                      "); sbx trust --revoke takes it back"});
            }
        }
    }

    void network() {
        bool public_only = policy_.vm.profile.value == VmProfile::Web;
        if (policy_.network.value != NetworkMode::On || public_only) {
            told_.push_back("sandbox.network");
            return;
        }
        add("network",
            "network on: the command reaches the internet and your local network, services without a password included",
            policy_.network.origin, "sandbox.network");
        told_.push_back("sandbox.allowNetwork");
        bool private_reads = !policy_.read_paths.empty() || !policy_.write_paths.empty() ||
                             policy_.home.value == HomeMode::Host;
        if (private_reads && !policy_.tainted.value) {
            const Origin& origin = policy_.home.value == HomeMode::Host ? policy_.home.origin
                                   : policy_.read_paths.empty()         ? policy_.write_paths.front().origin
                                                                        : policy_.read_paths.front().origin;
            add("network_with_private_reads",
                "network on and private files readable: what the command reads, it can send out", origin);
        }
    }

    void environment() {
        for (const NameEntry& entry : policy_.environment.pass) {
            if (is_sensitive_variable(entry.text)) {
                add("secret_variable", "the command gets " + printable_line(entry.text), entry.origin,
                    "sandbox.env.pass");
            }
        }
        // Other variables that are passed or set give no access by themselves.
        told_.push_back("sandbox.env.pass");
        told_.push_back("sandbox.env.set");
    }

    void guards() {
        if (policy_.port_4040_override.value) {
            add("port_4040", "allowPort4040Override: port 4040 of the Fusion dashboard may be taken",
                policy_.port_4040_override.origin, "sandbox.allowPort4040Override");
        }
        if (policy_.guards.git.value == GuardWhen::Off) {
            add("guards_git", "guards.git off: the command may plant hooks that git runs with your rights later",
                policy_.guards.git.origin, "guards.git");
        }
        if (policy_.home.value == HomeMode::Host) {
            add("home_host", "home host: the command reads and writes your home directory", policy_.home.origin,
                "sandbox.home");
        }
    }

    /// A guest with a profile: what it promises and what it does not (C6, T14, T101).
    void guest(const Surroundings& around) {
        if (!policy_.vm.publish.value.empty()) {
            add("publish", "vm.publish: programs of this machine can connect to the command",
                policy_.vm.publish.origin);
        }
        if (!around.vm_folders.masks.empty()) {
            std::string names;
            size_t count = 0;
            for (const MaskMatch& match : around.vm_folders.masks) {
                if (count++ < kNamed) {
                    names += (names.empty() ? "" : ", ") + printable_line(match.path);
                }
            }
            names += count > kNamed ? fmt::format(" and {} more", count - kNamed) : "";
            add("secrets_in_folder", "the files profile hides nothing in vm.folders, secrets included: " + names,
                policy_.vm.folders.front().path.origin);
        }
        if (around.vm_folders.limit_reached || around.vm_folders.unreadable > 0) {
            add("folder_not_searched", "vm.folders could not be searched for secrets as a whole",
                policy_.vm.folders.front().path.origin);
        }
        for (const std::string& caveat : around.vm_caveats) {
            add("vm_caveat", caveat, policy_.vm.profile.origin);
        }
    }

    /// Every other key that is wider than the built-in default (P19).
    void wider_keys() {
        Policy defaults;
        for (const Key& key : schema()) {
            bool told = false;
            for (std::string_view name : told_) {
                told = told || name == key.name;
            }
            bool machine = key.table() == "vm" || key.type == KeyType::Extends || key.type == KeyType::OnOff ||
                           key.name == "sandbox.preset" || key.name == "sandbox.worktree";
            if (told || machine || !wider(key, defaults)) {
                continue;
            }
            KeyValue value = key_value(key, policy_);
            const Origin& origin = value.origins.empty() ? built_in_ : value.origins.front();
            if (origin.kind != Origin::Kind::BuiltIn) {
                add("wider", fmt::format("{} = {} is wider than the default", key.name, value.text), origin);
            }
        }
    }

    bool wider(const Key& key, Policy& defaults) const {
        Slot now = key.slot(const_cast<Policy&>(policy_));
        Slot before = key.slot(defaults);
        if (auto* choice = std::get_if<ChoiceSlot>(&now)) {
            return key.project != ProjectRule::Never &&
                   !narrows(key.project, std::get<ChoiceSlot>(before).get(std::get<ChoiceSlot>(before).setting),
                            choice->get(choice->setting));
        }
        if (auto* boolean = std::get_if<Setting<bool>*>(&now)) {
            return !narrows(key.project, std::get<Setting<bool>*>(before)->value ? 1 : 0, (*boolean)->value ? 1 : 0);
        }
        if (auto* number = std::get_if<Setting<int64_t>*>(&now)) {
            return key.name != "scan.timeout" && (*number)->value < std::get<Setting<int64_t>*>(before)->value;
        }
        bool adding_narrows = key.project == ProjectRule::Add;
        if (auto* paths = std::get_if<std::vector<PathEntry>*>(&now)) {
            return !adding_narrows && !(*paths)->empty();
        }
        if (auto* names = std::get_if<std::vector<NameEntry>*>(&now)) {
            return !adding_narrows && !(*names)->empty();
        }
        if (auto* path = std::get_if<std::optional<PathEntry>*>(&now)) {
            return (*path)->has_value();
        }
        if (auto* whole = std::get_if<Policy*>(&now)) {
            return !(*whole)->toolchain_paths.empty();
        }
        return false;
    }

    void readable(const FileAccess& file) {
        std::string shown = printable_line(file.path);
        if ((file.mode & 0022) != 0) {
            notes_.push_back({"writable_by_others", fmt::format("{} can be written by other users; chmod go-w", shown)});
        }
        bool secret = file.own || file.holds_values;
        if (secret && (file.mode & 0044) != 0) {
            notes_.push_back({"readable_by_others", fmt::format("{} can be read by other users; chmod go-rwx", shown)});
        }
    }

    const LoadedPolicy& loaded_;
    const Policy& policy_;
    std::vector<SecurityNote> notes_;
    std::vector<std::string_view> told_;
    const Origin built_in_;
};

void look(const std::string& path, bool own, bool holds_values, std::vector<FileAccess>& files) {
    struct stat status {};
    if (!path.empty() && stat(path.c_str(), &status) == 0) {
        files.push_back({path, status.st_mode & 07777U, holds_values, own});
    }
}

}  // namespace

std::vector<SecurityNote> security_notes(const LoadedPolicy& loaded, const Surroundings& around) {
    return Notes(loaded).all(around);
}

std::vector<std::string> remarks(const LoadedPolicy& loaded, Platform platform) {
    BackendChoice backend = loaded.policy.backend.value;
    bool seatbelt = backend == BackendChoice::SandboxExec ||
                    (backend == BackendChoice::Auto && platform == Platform::Mac);
    if (!seatbelt) {
        return {};
    }
    return {"Apple has deprecated sandbox-exec; it still works, and a later macOS may drop it"};
}

std::vector<FileAccess> look_at_policy_files(const HostFacts& facts, const LoadedPolicy& loaded) {
    std::vector<FileAccess> files;
    for (const PolicySource& source : loaded.sources) {
        bool sets = false;
        for (const auto& [name, setting] : loaded.policy.environment.set) {
            sets = sets || (setting.origin.kind == Origin::Kind::File && setting.origin.name == source.name);
        }
        look(source.path, source.role == PolicySource::Role::User, sets, files);
    }
    look(facts.config_dir, true, false, files);
    look(facts.state_dir, true, false, files);
    look(path_join(facts.cwd, ".env"), true, false, files);
    return files;
}

}  // namespace sbx
