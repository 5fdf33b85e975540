#include "macos/render/seatbelt.h"

#include <algorithm>
#include <set>

#include "macos/render/base_rules.h"
#include "macos/render/sbpl_text.h"
#include "util/text.h"

namespace sbx {
namespace {

// What an allowed tree allows is what a denial inside it must name, operation by operation: a rule on a
// specific operation beats one on its parent wherever it stands (navikt/cplt#455). So there are only
// these groups, the same on both sides.
constexpr const char* kReading[] = {"file-read*", "file-map-executable", "process-exec"};
constexpr const char* kWriting[] = {"file-write*"};
constexpr const char* kNewReading[] = {"file-test-existence"};
// A second name or a clone of a file, made inside: from a read-only file it would be a writable one.
constexpr const char* kNewWriting[] = {"file-link", "file-clone"};

constexpr uint16_t kReservedPort = 4040;

Error invalid_path(const std::string& path) {
    return Error{"invalid_path", "not an absolute, canonical path: " + printable_line(path), ""};
}

bool is_canonical(const std::string& path) {
    return !path.empty() && path.front() == '/' && path.find('\0') == std::string::npos &&
           path_normalise(path) == path;
}

Result<void> check_plan(const Plan& plan) {
    for (const Mount& mount : plan.mounts) {
        if (!is_canonical(mount.destination)) {
            return invalid_path(mount.destination);
        }
        if (mount.kind == Mount::Kind::Bind && mount.source != mount.destination) {
            return Error{"not_expressible",
                         "macOS cannot show " + printable_line(mount.source) + " as " +
                             printable_line(mount.destination),
                         "grant the path itself"};
        }
        if (mount.kind == Mount::Kind::Tmpfs || mount.kind == Mount::Kind::Directory) {
            return Error{"not_expressible",
                         "macOS cannot mount an empty directory on " + printable_line(mount.destination), ""};
        }
    }
    return {};
}

class Renderer {
  public:
    Renderer(const Plan& plan, const HostFacts& facts, const SeatbeltOptions& options)
        : plan_(plan), facts_(facts), text_(options.denial_tag) {}

    std::string render() {
        text_.comment("Seatbelt profile made by sbx. Of the rules with a filter the last match of the same");
        text_.comment("operation decides; a rule without one decides only when none of those matches.");
        text_.raw("(version 1)");
        text_.deny("default", "");
        text_.blank();
        fixed("Operations that (deny default) does not reach", named_denials());
        fixed("What every program needs", base_rules());
        terminal();
        run_mark_rule();
        ways();
        trees();
        names();
        newer();
        network();
        return text_.take();
    }

  private:
    void title(const char* text) {
        text_.blank();
        text_.raw(std::string(";; ") + text);
    }

    void fixed(const char* heading, const std::vector<BaseRule>& rules) {
        title(heading);
        for (const BaseRule& rule : rules) {
            text_.comment(rule.reason);
            text_.raw(rule.rules);
        }
    }

    void terminal() {
        for (const Mount& mount : plan_.mounts) {
            if (mount.kind == Mount::Kind::Terminal) {
                text_.comment("the caller's terminal; ioctl, or raw mode fails silently (agent-safehouse#98)");
                text_.allow_literal("file-read* file-write* file-ioctl", mount.destination);
            }
        }
        text_.comment("TIOCSTI would type commands into the caller's shell");
        text_.raw(
            "(when (and (defined? 'ioctl-command) (defined? '_IO))\n"
            "  (deny file-ioctl (ioctl-command (_IO \"t\" 114))))");
    }

    void run_mark_rule() {
        text_.comment("nobody offers this service; who may ask for it belongs to this run");
        text_.allow("mach-lookup", "(global-name " + sbpl_string(run_mark(facts_)) + ")");
    }

    bool covered_later(size_t index, const std::string& path) const {
        return std::any_of(plan_.mounts.begin() + static_cast<std::ptrdiff_t>(index) + 1, plan_.mounts.end(),
                           [&](const Mount& later) {
                               return later.kind == Mount::Kind::Mask && later.destination != path &&
                                      path_within(path, later.destination);
                           });
    }

    /// stat() on the directories that lead to what is granted: no program finds it otherwise.
    void ways() {
        title("Directories on the way: they can be passed, not listed");
        std::set<std::string> found;
        for (size_t index = 0; index < plan_.mounts.size(); ++index) {
            const Mount& mount = plan_.mounts[index];
            if (mount.kind == Mount::Kind::Mask && !covered_later(index, mount.destination)) {
                found.insert(mount.destination);  // a masked file is there, it only cannot be opened
            }
            for (const auto& ancestor : path_ancestors(mount.destination)) {
                if (!covered_later(index, ancestor)) {
                    found.insert(ancestor);
                }
            }
        }
        for (const auto& path : found) {
            text_.allow_literal("file-read-metadata", path);
        }
        ways_ = std::move(found);
    }

    std::string describe(const Mount& mount, const char* what) const {
        std::string text = std::string(what) + " " + mount.destination;
        if (!mount.rule.empty()) {
            text += ": " + mount.rule;
        }
        if (mount.origin.kind != Origin::Kind::BuiltIn) {
            text += " (" + mount.origin.text() + ")";
        }
        return text;
    }

    template <size_t N>
    void each(const char* const (&operations)[N], bool allowed, const std::string& path) {
        for (const char* operation : operations) {
            if (allowed) {
                text_.allow_tree(operation, path);
            } else {
                text_.deny_tree(operation, path);
            }
        }
    }

    void trees() {
        title("What the policy grants and takes back, shallow to deep");
        for (const Mount& mount : plan_.mounts) {
            const std::string& path = mount.destination;
            switch (mount.kind) {
                case Mount::Kind::Bind:
                    if (mount.purpose == Purpose::Pin) {
                        break;  // see names()
                    }
                    text_.comment(describe(mount, mount.access == Access::Write ? "write" : "read"));
                    each(kReading, true, path);
                    each(kWriting, mount.access == Access::Write, path);
                    break;
                case Mount::Kind::Symlink:
                    text_.comment(describe(mount, "link"));
                    text_.allow("file-read*", "(literal " + sbpl_string(path) + ")");
                    break;
                case Mount::Kind::Pinned:
                    text_.comment(describe(mount, "link"));
                    text_.allow_literal("file-read*", path);
                    text_.deny_literal("file-write*", path);
                    break;
                case Mount::Kind::Mask:
                    text_.comment(describe(mount, "hide"));
                    each(kReading, false, path);
                    each(kWriting, false, path);
                    break;
                case Mount::Kind::File:      // made in the private home, which is granted
                case Mount::Kind::Devices:   // see base_rules()
                case Mount::Kind::Processes: // process-info
                case Mount::Kind::Terminal:  // see terminal()
                case Mount::Kind::Tmpfs:
                case Mount::Kind::Kept:
                case Mount::Kind::Directory: break;
            }
        }
    }

    /// The outermost writable tree that `path` lies in; "" for none.
    std::string writable_tree(const std::string& path) const {
        std::string found;
        for (const Mount& mount : plan_.mounts) {
            bool root = mount.kind == Mount::Kind::Bind && mount.access == Access::Write &&
                        mount.purpose != Purpose::Pin && path_within(path, mount.destination);
            if (root && (found.empty() || path_within(found, mount.destination))) {
                found = mount.destination;
            }
        }
        return found;
    }

    /// mv of a protected file, or of a directory above it, would take it out of its rule (srt#8); mv of a
    /// granted directory would let a link take its place. Literals only: a broad rule refuses harmless
    /// rmdir (codex#40565).
    void names() {
        title("Names that stay where they are");
        std::set<std::string> pinned;
        for (const Mount& mount : plan_.mounts) {
            bool places = mount.kind == Mount::Kind::Bind || mount.kind == Mount::Kind::Mask ||
                          mount.kind == Mount::Kind::Pinned;
            std::string root = places ? writable_tree(mount.destination) : "";
            if (root.empty()) {
                continue;
            }
            bool protects = mount.kind != Mount::Kind::Bind || mount.access == Access::Read;
            for (std::string at = mount.destination;; at = path_parent(at)) {
                pinned.insert(at);
                if (protects && at != mount.destination && at != root) {
                    between_.insert(at);
                }
                if (at == root) {
                    break;
                }
            }
        }
        for (const auto& path : pinned) {
            text_.deny_literal("file-write-unlink", path);
        }
        if (!between_.empty()) {
            text_.comment("nor may one that does not exist yet be made: not as a link, and not as a directory that");
            text_.comment("was filled elsewhere and is moved there, since nobody asks about what is in it");
        }
        for (const auto& path : between_) {
            text_.deny_literal("file-write-create", path);
        }
    }

    /// Operations that newer systems split off: by default denied there, so each needs the same answers
    /// as the operation it came from.
    void newer() {
        title("Operations that only newer systems know");
        for (const char* operation : kNewReading) {
            text_.begin_when_defined(operation);
            for (const auto& path : ways_) {
                text_.allow_literal(operation, path);
            }
            text_.allow_tree(operation, "/dev");
            repeat(operation, false);
            text_.end_when_defined();
        }
        for (const char* operation : kNewWriting) {
            text_.begin_when_defined(operation);
            repeat(operation, true);
            for (const auto& path : between_) {
                text_.deny_literal(operation, path);
            }
            text_.end_when_defined();
        }
    }

    void repeat(const char* operation, bool writing) {
        for (const Mount& mount : plan_.mounts) {
            if (mount.kind == Mount::Kind::Mask) {
                text_.deny_tree(operation, mount.destination);
                if (!writing && ways_.count(mount.destination) != 0) {
                    text_.allow_literal(operation, mount.destination);
                }
            } else if (mount.kind == Mount::Kind::Symlink && !writing) {
                text_.allow_literal(operation, mount.destination);
            } else if (mount.kind == Mount::Kind::Bind && mount.purpose != Purpose::Pin) {
                if (!writing || mount.access == Access::Write) {
                    text_.allow_tree(operation, mount.destination);
                } else {
                    text_.deny_tree(operation, mount.destination);
                }
            }
        }
    }

    void network() {
        title("Network");
        if (plan_.network.mode == NetworkMode::Off) {
            text_.raw("(deny network*)");
        } else {
            text_.raw("(allow network-outbound)");
            text_.comment("sockets in the file system lead to programs outside: docker, ssh-agent, tmux. Not even in");
            text_.comment("writable places: such a socket could be moved there.");
            text_.deny("network-outbound", "(subpath \"/\")");
            for (const BaseRule& rule : network_rules()) {
                text_.comment(rule.reason);
                text_.raw(rule.rules);
            }
            text_.comment("a server needs network-inbound as well as network-bind");
            text_.raw("(allow network-inbound (local ip))");
            if (plan_.network.ports.empty()) {
                text_.raw("(allow network-bind (local ip))");
            } else {
                // Without its own default, network-bind would ask network-inbound.
                text_.raw("(deny network-bind)");
                for (uint16_t port : plan_.network.ports) {
                    text_.raw("(allow network-bind (local ip \"*:" + std::to_string(port) + "\"))");
                }
            }
            text_.raw("(allow system-socket)");
        }
        text_.comment("always, and last (F41)");
        text_.raw("(deny network-bind (local ip \"*:" + std::to_string(kReservedPort) + "\"))");
    }

    const Plan& plan_;
    const HostFacts& facts_;
    SbplText text_;
    std::set<std::string> ways_;
    std::set<std::string> between_;   ///< directories from a writable tree's root to what is protected in it
};

}  // namespace

Result<std::string> render_seatbelt(const Plan& plan, const HostFacts& facts, const SeatbeltOptions& options) {
    SBX_CHECK(check_plan(plan));
    return Renderer(plan, facts, options).render();
}

std::vector<std::string> seatbelt_command(const std::string& tool, const std::string& profile_file,
                                          const std::vector<std::string>& command) {
    std::vector<std::string> words = {tool, "-f", profile_file, "--"};
    words.insert(words.end(), command.begin(), command.end());
    return words;
}

std::string run_mark(const HostFacts& facts) { return "sbx.run." + path_name(facts.mac.run_directory); }

Result<std::string> describe_seatbelt(const Plan& plan, const HostFacts& facts) {
    SBX_ASSIGN(std::string profile, render_seatbelt(plan, facts));
    std::string text = shell_join({"cd", plan.cwd}) + "\n";
    for (const auto& entry : plan.environment) {
        text += shell_join({"export", entry.name + "=" + entry.value}) + "\n";
    }
    text += shell_join(seatbelt_command(kSandboxExec, "PROFILE", plan.argv)) + "\n\n# PROFILE:\n" + profile;
    return text;
}

}  // namespace sbx
