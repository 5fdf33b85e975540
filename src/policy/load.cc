#include "policy/load.h"

#include <unistd.h>

#include <algorithm>
#include <tuple>

#include "host/resolve.h"
#include "policy/apply.h"
#include "policy/modes.h"
#include "policy/policy_file.h"
#include "policy/profiles.h"
#include "policy/suggest.h"
#include "policy/trust.h"
#include "policy/zones.h"
#include "util/text.h"

namespace sbx {
namespace {

constexpr const char* kSystemPolicy = "/etc/sbx/sbx.toml";
constexpr const char* kFileName = "sbx.toml";
constexpr size_t kMaxExtends = 8;

/// Source lines for what only the whole policy shows to be wrong.
void attach_sources(LoadedPolicy& loaded) {
    std::vector<std::string> names;  // in the order in which the policies were read
    for (const auto& [source, text] : loaded.texts) {
        names.push_back(source.text());
    }
    auto place = [&](const Diagnostic& error) {
        Origin source = error.origin;
        source.line = source.column = 0;
        auto at = std::find(names.begin(), names.end(), source.text()) - names.begin();
        return std::tuple(at, error.origin.line, error.origin.column);
    };
    std::stable_sort(loaded.errors.begin(), loaded.errors.end(),
                     [&](const Diagnostic& a, const Diagnostic& b) { return place(a) < place(b); });
    for (const auto& [source, text] : loaded.texts) {
        attach_source(loaded.errors, 0, text, source);
    }
}

class Loader {
  public:
    Loader(const HostFacts& facts, const PolicyRequest& request) : facts_(facts), request_(request) {}

    LoadedPolicy run() {
        if (!request_.only_named) {
            optional_file(kSystemPolicy, PolicySource::Role::System);
            if (!facts_.config_dir.empty()) {
                optional_file(path_join(facts_.config_dir, kFileName), PolicySource::Role::User);
            }
            project();
        }
        for (const auto& named : request_.named) {
            if (named.profile) {
                profile(named.text, Origin::flag("--profile"), base(), {});
            } else {
                named_file(named.text, absolute(named.text), Origin::flag("--policy"), {}, "");
            }
        }
        for (const auto& setting : request_.settings) {
            const Key* key = find_key(setting.key);
            if (key != nullptr) {
                apply_flag(*key, setting.flag, setting.value, base(), loaded_.policy, loaded_.errors);
            }
        }
        if (loaded_.errors.empty()) {
            settle(facts_, request_, loaded_);
        } else {
            check_values(loaded_);
        }
        attach_sources(loaded_);
        return std::move(loaded_);
    }

  private:
    /// A path as messages show it: relative to the current folder when it lies in there.
    std::string shown(const std::string& path) const {
        bool below = facts_.cwd != "/" && path_within(path, facts_.cwd) && path.size() > facts_.cwd.size();
        return below ? path.substr(facts_.cwd.size() + 1) : path;
    }

    bool is_named(const std::string& canonical) const {
        return std::any_of(request_.named.begin(), request_.named.end(), [&](const PolicyRequest::Named& named) {
            return !named.profile && real_path(absolute(named.text)) == canonical;
        });
    }

    std::string base() const { return request_.base.empty() ? facts_.cwd : request_.base; }

    std::string absolute(const std::string& path) const {
        return path.rfind('/', 0) == 0 ? path : path_join(base(), path);
    }

    void fail(const std::string& name, const Error& error) {
        Origin origin;
        origin.kind = Origin::Kind::File;
        origin.name = name;
        loaded_.errors.push_back({error.code, origin, error.message, error.hint, ""});
    }

    void optional_file(const std::string& path, PolicySource::Role role) {
        auto text = read_policy_file(path, {});
        if (text) {
            file(*text, shown(path), role, "", {});
        } else if (text.error().code != "not_found") {
            fail(shown(path), text.error());
        }
    }

    void project() {
        ProjectPolicy found = find_project_policy(facts_);
        project_name_ = shown(found.file);
        if (found.file.empty()) {
            return;
        }
        auto text = read_policy_file(found.file, {true, true});
        std::string name = shown(found.file);
        // Named with --policy it is the user's word, and needs to be read once only.
        if (text && is_named(text->path)) {
            return;
        }
        if (!text) {
            if (text.error().code != "not_found") {
                fail(name, text.error());
            }
            return;
        }
        TrustState trust = TrustStore(facts_.state_dir).state(text->path, text->text);
        if (trust == TrustState::Changed) {
            loaded_.notes.push_back(name + " has changed since you trusted it, so it may only narrow; read it, then: " +
                                    "sbx trust " + shell_quote(name));
        }
        file(*text, name, PolicySource::Role::Project, trust == TrustState::Trusted ? "" : found.directory, {});
    }

    void named_file(const std::string& name, const std::string& path, const Origin& asked,
                    std::vector<std::string> chain, const std::string& confined_to) {
        bool shared = !confined_to.empty();
        auto text = read_policy_file(path, {shared, shared});
        if (!text) {
            if (asked.kind == Origin::Kind::Flag) {
                fail(name, text.error());
            } else {
                loaded_.errors.push_back({text.error().code, asked, name + ": " + text.error().message,
                                          text.error().hint, ""});
            }
            return;
        }
        file(*text, name, PolicySource::Role::Named, confined_to, std::move(chain));
    }

    void file(const PolicyText& text, const std::string& name, PolicySource::Role role, const std::string& confined_to,
              std::vector<std::string> chain) {
        Layer layer;
        layer.source.kind = Origin::Kind::File;
        layer.source.name = name;
        layer.base = path_parent(text.path);
        layer.confined_to = confined_to;
        layer.trust_name = project_name_;
        chain.push_back(text.path);
        loaded_.policy.files.push_back(text.path);
        apply(text.text, layer, chain);
        loaded_.sources.push_back({role, name, text.path, confined_to.empty()});
    }

    void profile(const std::string& name, const Origin& asked, const std::string& base,
                 std::vector<std::string> chain, const std::string& confined_to = "") {
        const ShippedProfile* found = find_profile(name);
        if (found == nullptr) {
            std::vector<std::string_view> names;
            for (const ShippedProfile& shipped : shipped_profiles()) {
                names.push_back(shipped.name);
            }
            std::string close = nearest(name, names);
            loaded_.errors.push_back({"invalid_value", asked, "there is no profile \"" + name + "\"",
                                      close.empty() ? "sbx profiles lists them; a file is named with a slash: ./" + name
                                                    : "did you mean \"" + close + "\"?",
                                      ""});
            return;
        }
        Layer layer;
        layer.source.kind = Origin::Kind::Profile;
        layer.source.name = name;
        layer.base = base;
        layer.confined_to = confined_to;
        layer.trust_name = project_name_;
        chain.push_back("profile " + name);
        apply(found->text(), layer, chain);
        loaded_.sources.push_back({PolicySource::Role::Profile, name, "", confined_to.empty()});
    }

    void apply(std::string_view text, const Layer& layer, const std::vector<std::string>& chain) {
        size_t first = loaded_.errors.size();
        TomlValue root;
        if (parse_toml(text, layer.source, root, loaded_.errors)) {
            for (const TomlEntry& entry : root.entries) {
                if (entry.key == "extends") {
                    extend(entry, layer, chain);
                }
            }
            apply_tree(root, layer, loaded_.policy, loaded_.errors);
        }
        attach_source(loaded_.errors, first, text, layer.source);
        loaded_.texts.emplace_back(layer.source, text);
    }

    void extend(const TomlEntry& entry, const Layer& layer, const std::vector<std::string>& chain) {
        auto wrong = [&](const TomlValue& value, const std::string& code, const std::string& message,
                         const std::string& hint) {
            Origin origin = layer.source;
            origin.line = value.line;
            origin.column = value.column;
            loaded_.errors.push_back({code, origin, message, hint, ""});
        };
        if (entry.value.kind != TomlValue::Kind::Array) {
            return wrong(entry.value, "wrong_type",
                         "extends must be an array, not " + std::string(kind_name(entry.value.kind)),
                         "write extends = [\"agent\"]");
        }
        for (const TomlValue& item : entry.value.items) {
            if (item.kind != TomlValue::Kind::String) {
                wrong(item, "wrong_type", "extends must hold strings, not " + std::string(kind_name(item.kind)), "");
                continue;
            }
            Origin asked = layer.source;
            asked.line = item.line;
            asked.column = item.column;
            bool is_file = item.text.find('/') != std::string::npos ||
                           (item.text.size() > 5 && item.text.substr(item.text.size() - 5) == ".toml");
            std::string path = item.text.rfind('/', 0) == 0 ? item.text : path_join(layer.base, item.text);
            std::string id = is_file ? path_normalise(path) : "profile " + item.text;
            if (std::find(chain.begin(), chain.end(), id) != chain.end()) {
                wrong(item, "cycle", "\"" + printable_line(item.text) + "\" extends itself", "");
            } else if (chain.size() >= kMaxExtends) {
                wrong(item, "too_deep", "extends is more than 8 policies deep", "");
            } else if (!is_file) {
                profile(item.text, asked, layer.base, chain, layer.confined_to);
            } else if (!layer.confined_to.empty() && !path_within(path_normalise(path), layer.confined_to)) {
                wrong(item, "not_trusted", "a policy found in the project may extend files of the project only",
                      "sbx trust it, or name it with --policy");
            } else {
                named_file(shown(path_normalise(path)), path_normalise(path), asked, chain, layer.confined_to);
            }
        }
    }

    const HostFacts& facts_;
    const PolicyRequest& request_;
    LoadedPolicy loaded_;
    std::string project_name_;   ///< of the project policy, as shown
};

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

}  // namespace

ProjectPolicy find_project_policy(const HostFacts& facts) {
    ProjectPolicy nearest_policy;
    std::string here = facts.cwd;
    for (;;) {
        // What lies in the home or above it is no project's; a policy there would govern everything.
        if (here == "/" || (!facts.home.empty() && path_within(facts.home, here))) {
            break;
        }
        std::string candidate = path_join(here, kFileName);
        char byte;
        bool present = exists(candidate) || readlink(candidate.c_str(), &byte, 1) >= 0;
        if (nearest_policy.file.empty() && present) {
            nearest_policy = {candidate, here};
        }
        if (exists(path_join(here, ".git/HEAD")) || (exists(path_join(here, ".git")) && !exists(path_join(here, ".git/.")))) {
            if (!nearest_policy.file.empty()) {
                nearest_policy.directory = here;
            }
            return nearest_policy;
        }
        here = path_parent(here);
    }
    if (nearest_policy.file != path_join(facts.cwd, kFileName)) {
        return {};
    }
    return nearest_policy;
}

LoadedPolicy load_policy(const HostFacts& facts, const PolicyRequest& request) { return Loader(facts, request).run(); }

void check_grants(const HostFacts& facts, LoadedPolicy& loaded) {
    const Policy& policy = loaded.policy;
    auto check = [&](PathEntry entry, PathUse use) {
        Origin origin = entry.origin;
        entry.origin = Origin::built_in();  // the report says where; the message need not
        if (auto allowed = check_grant(policy, facts, entry, use); !allowed) {
            loaded.errors.push_back({allowed.error().code, origin, allowed.error().message, allowed.error().hint, ""});
        }
    };
    for (const PathEntry& entry : policy.read_paths) {
        check(entry, PathUse::Read);
    }
    for (const PathEntry& entry : policy.write_paths) {
        check(entry, PathUse::Write);
    }
    if (policy.repo_root) {
        check(*policy.repo_root, PathUse::Read);
    }
    attach_sources(loaded);
}

}  // namespace sbx
