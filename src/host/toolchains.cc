#include "host/toolchains.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <set>

#include "host/gather.h"
#include "host/resolve.h"
#include "host/toolchain_table.h"
#include "util/fd.h"
#include "util/text.h"

namespace sbx {
namespace {

constexpr const char* kBrewHome = "/home/linuxbrew/.linuxbrew";  // a fixed place: it has a user of its own
constexpr const char* kListed = "listed";
constexpr size_t kScriptHead = 4096;
constexpr size_t kMostPrograms = 1000;
constexpr size_t kMostEntries = 200;

using Directory = std::unique_ptr<DIR, int (*)(DIR*)>;

/// How many bytes of `path` the components of `pattern` take up when they are its first ones, else 0.
/// Without a copy: every rule is tried on every entry of PATH.
size_t matched(std::string_view pattern, std::string_view path) {
    size_t at = 0;
    for (;;) {
        std::string_view part = pattern.substr(0, pattern.find('/'));
        std::string_view component = path.substr(at, path.substr(at).find('/'));
        if (component.empty() || !glob_match(part, component)) {
            return 0;
        }
        at += component.size();
        if (part.size() == pattern.size()) {
            return at;
        }
        if (at == path.size()) {
            return 0;
        }
        ++at;
        pattern.remove_prefix(part.size() + 1);
    }
}

std::string below(const std::string& path, const std::string& directory) {
    return path.size() > directory.size() ? path.substr(directory.size() + 1) : "";
}

bool ends_with(std::string_view text, std::string_view end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

class Finder {
  public:
    explicit Finder(HostFacts& facts, bool offline) : facts_(facts), offline_(offline) {
        homes_.push_back(facts.home);
        std::string given = path_normalise(facts.home_as_given);
        if (given != facts.home) {
            homes_.push_back(given);
        }
    }

    void add_path_entry(const std::string& entry) {
        std::string lexical = path_normalise(entry);
        std::vector<SystemPath> links;
        auto canonical = walk_path(entry, links);
        if (!canonical || canonical == "/") {
            return;
        }
        bool inside = path_within(*canonical, facts_.home);
        for (const auto& home : homes_) {
            inside = inside || path_within(lexical, home);
        }
        if (path_within(*canonical, kBrewHome)) {
            bind("linuxbrew", kBrewHome, entry);
        } else if (inside) {
            if (!add_by_rule(lexical, entry) && !add_by_rule(*canonical, entry) &&
                kind_of(*canonical) == FileKind::Directory) {
                bind("path", *canonical, entry);
            }
        }
        facts_.links.insert(facts_.links.end(), links.begin(), links.end());
    }

    /// A place that the policy lists is the user's own choice.
    void add_listed(const std::string& path) { bind(kListed, path, path); }

    /// Drops what lies in another one; what is hidden stays hidden.
    void finish() {
        auto& found = facts_.toolchains;
        std::stable_sort(found.begin(), found.end(),
                         [](const Toolchain& a, const Toolchain& b) { return a.prefix < b.prefix; });
        std::vector<Toolchain> kept;
        for (Toolchain& toolchain : found) {
            bool inside = std::any_of(kept.begin(), kept.end(), [&](const Toolchain& other) {
                return path_within(toolchain.prefix, other.prefix);
            });
            if (!inside) {
                kept.push_back(std::move(toolchain));
            }
        }
        for (Toolchain& toolchain : kept) {
            hide(toolchain);
        }
        found = std::move(kept);
    }

  private:
    /// True when a rule knows the place of `path`, whether or not there is anything to bind.
    bool add_by_rule(const std::string& path, const std::string& entry) {
        for (const auto& home : homes_) {
            if (!path_within(path, home)) {
                continue;
            }
            std::string relative = below(path, home);
            const ToolchainRule* best = nullptr;
            size_t longest = 0;
            for (size_t i = 0; i < kToolchainRuleCount; ++i) {
                size_t length = matched(kToolchainRules[i].place, relative);
                if (length > longest) {
                    longest = length;
                    best = &kToolchainRules[i];
                }
            }
            if (best != nullptr) {
                apply(*best, path_join(home, relative.substr(0, longest)), entry);
                return true;
            }
        }
        return false;
    }

    void apply(const ToolchainRule& rule, const std::string& prefix, const std::string& entry) {
        if (!applied_.insert(prefix).second) {
            return;
        }
        bind(rule.name, prefix, entry);
        bind_all(rule.name, rule.more, entry);
        if (offline_) {
            bind_all(rule.name, rule.caches, entry);
        }
        if (std::string_view(rule.name) == "local-bin") {
            read_programs(prefix, entry);
        }
    }

    void bind_all(const char* name, const char* places, const std::string& entry) {
        for (const auto& place : split(places, ' ')) {
            if (place.empty()) {
                continue;
            }
            std::string path = path_join(facts_.home, place);
            if (place.back() != '*') {
                bind(name, path, entry);
                continue;
            }
            std::string pattern = path_name(path);
            Directory directory(opendir(path_parent(path).c_str()), closedir);
            for (dirent* item = nullptr; directory && (item = readdir(directory.get())) != nullptr;) {
                if (glob_match(pattern, item->d_name)) {
                    bind(name, path_join(path_parent(path), item->d_name), entry);
                }
            }
        }
    }

    /// Never the home, never sbx's own files, never what holds or is a place of credentials.
    bool is_private(const std::string& path, bool listed) const {
        if (path_within(facts_.home, path)) {
            return true;
        }
        for (const std::string* own : {&facts_.config_dir, &facts_.state_dir}) {
            if (!own->empty() && (path_within(path, *own) || path_within(*own, path))) {
                return true;
            }
        }
        for (size_t i = 0; i < kPrivatePlaceCount && !listed; ++i) {
            std::string place = path_join(facts_.home, kPrivatePlaces[i]);
            if (path_within(path, place) || path_within(place, path)) {
                return true;
            }
        }
        for (const char* kernel : {"/proc", "/sys", "/dev", "/run"}) {
            if (path_within(path, kernel)) {
                return true;
            }
        }
        return false;
    }

    bool is_system(const std::string& path) const {
        return std::any_of(facts_.system.begin(), facts_.system.end(), [&](const SystemPath& system) {
            return system.kind == FileKind::Directory && path_within(path, system.path);
        });
    }

    void bind(const std::string& name, const std::string& path, const std::string& entry) {
        std::vector<SystemPath> links;
        auto canonical = walk_path(path, links);
        if (!canonical || is_private(*canonical, name == kListed)) {
            return;
        }
        facts_.links.insert(facts_.links.end(), links.begin(), links.end());
        FileKind kind = kind_of(*canonical);
        if ((kind == FileKind::Directory || kind == FileKind::File) && !is_system(*canonical)) {
            Toolchain toolchain;
            toolchain.name = name;
            toolchain.prefix = *canonical;
            toolchain.kind = kind;
            toolchain.path_entry = entry;
            facts_.toolchains.push_back(std::move(toolchain));
        }
    }

    /// What the programs in ~/.local/bin need of the rest of ~/.local, which is mostly private data.
    void read_programs(const std::string& bin, const std::string& entry) {
        Fd fd(open(bin.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        Directory directory(fd.valid() ? fdopendir(dup(fd.get())) : nullptr, closedir);
        std::string real = real_path(bin).value_or(bin);
        size_t left = kMostPrograms;
        for (dirent* item = nullptr; directory && left > 0 && (item = readdir(directory.get())) != nullptr; --left) {
            if (item->d_type == DT_LNK) {
                std::string text = link_text(path_join(real, item->d_name));
                needs(path_normalise(text.rfind('/', 0) == 0 ? text : path_join(real, text)), entry);
            } else if (item->d_type == DT_REG) {
                read_script(fd.get(), item->d_name, entry);
            }
        }
    }

    void read_script(int directory, const char* name, const std::string& entry) {
        char head[kScriptHead];
        Fd fd(openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
        ssize_t length = fd.valid() ? read(fd.get(), head, sizeof head) : -1;
        if (length < 2 || head[0] != '#' || head[1] != '!') {
            return;
        }
        std::string_view text(head, static_cast<size_t>(length));
        std::string_view interpreter = text.substr(2, text.find('\n') - 2);
        interpreter.remove_prefix(std::min(interpreter.find('/'), interpreter.size()));
        interpreter = interpreter.substr(0, interpreter.find_first_of(" \t\r"));
        needs(path_normalise(interpreter), entry);
        constexpr std::string_view kShare = "share/";
        for (size_t at = text.find(kShare); at != std::string_view::npos; at = text.find(kShare, at + 1)) {
            if (ends_with(text.substr(0, at), "/usr/") || ends_with(text.substr(0, at), "/usr/local/")) {
                continue;
            }
            std::string_view rest = text.substr(at + kShare.size());
            size_t end = rest.find_first_of("/ \t\r\n\"'`$;:,(){}<>&|\\");
            add_data(std::string(rest.substr(0, end)), entry);
        }
    }

    void needs(const std::string& target, const std::string& entry) {
        for (const auto& home : homes_) {
            std::string local = path_join(home, ".local");
            if (!path_within(target, local)) {
                continue;
            }
            std::vector<std::string> parts = path_components(below(target, local));
            if (parts.size() > 2 && parts[0] == "share") {
                add_data(parts[1], entry);
            } else if (parts.size() > 1 && parts[0] != "share" && parts[0] != "state" && parts[0] != "bin") {
                bind("local-bin", path_join(local, parts[0]), entry);
            }
            return;
        }
        add_by_rule(target, entry);
    }

    void add_data(const std::string& name, const std::string& entry) {
        if (name.empty() || name.front() == '.' || !data_.insert(name).second) {
            return;
        }
        for (size_t i = 0; i < kPrivateDataCount; ++i) {
            if (name == kPrivateData[i]) {
                return;
            }
        }
        std::string path = path_join(path_join(facts_.home, ".local/share"), name);
        auto canonical = real_path(path);
        if (canonical && kind_of(*canonical) == FileKind::Directory && path_within(*canonical, facts_.home)) {
            bind("local-bin", path, entry);
        }
    }

    void hide(Toolchain& toolchain) const {
        auto add = [&](const std::string& path) {
            if (kind_of(path) == FileKind::Missing) {
                return;
            }
            PathFacts found = look_at(path);
            if (found.kind != FileKind::Missing && path_within(found.resolved, toolchain.prefix) &&
                found.resolved != toolchain.prefix) {
                toolchain.hidden.push_back(found.resolved + (found.kind == FileKind::Directory ? "/" : ""));
            }
        };
        if (toolchain.kind != FileKind::Directory) {
            return;
        }
        for (size_t i = 0; i < kHiddenNameCount; ++i) {
            add(path_join(toolchain.prefix, kHiddenNames[i]));
        }
        for (size_t i = 0; i < kHiddenPlaceCount; ++i) {
            std::string path = path_join(facts_.home, kHiddenPlaces[i]);
            if (path_within(path, toolchain.prefix)) {
                add(path);
            }
        }
    }

    HostFacts& facts_;
    bool offline_;
    std::vector<std::string> homes_;      ///< canonical, and as $HOME spells it
    std::set<std::string> applied_;
    std::set<std::string> data_;
};

}  // namespace

void find_toolchains(const Policy& policy, HostFacts& facts) {
    if (facts.home.empty()) {
        return;
    }
    Finder finder(facts, policy.network.value == NetworkMode::Off);
    for (const PathEntry& entry : policy.toolchain_paths) {
        finder.add_listed(expand_path(entry, facts));
    }
    const std::string* path = facts.variable("PATH");
    if (policy.toolchains_auto.value && path != nullptr) {
        std::set<std::string> seen;
        for (const auto& entry : split(*path, ':')) {
            if (!entry.empty() && entry.front() == '/' && seen.size() < kMostEntries && seen.insert(entry).second) {
                finder.add_path_entry(entry);
            }
        }
    }
    finder.finish();
}

}  // namespace sbx
