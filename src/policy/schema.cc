#include "policy/schema.h"

namespace sbx {
namespace {

using T = KeyType;
using P = ProjectRule;

template <typename E>
Slot choice(Setting<E>& setting) {
    ChoiceSlot slot{};
    slot.setting = &setting;
    slot.get = [](const void* place) { return static_cast<int>(static_cast<const Setting<E>*>(place)->value); };
    slot.set = [](void* place, int value, const Origin& origin) {
        *static_cast<Setting<E>*>(place) = Setting<E>{static_cast<E>(value), origin};
    };
    slot.origin = [](const void* place) -> const Origin& { return static_cast<const Setting<E>*>(place)->origin; };
    return slot;
}

#define SBX_CHOICE(member) [](Policy& p) -> Slot { return choice(p.member); }
#define SBX_SLOT(member) [](Policy& p) -> Slot { return &p.member; }

std::vector<Key> make_schema() {
    return {
        {"extends", T::Extends, "[]", "", P::Anything, "0.1",
         "Policies to start from: names of shipped profiles (see sbx profiles) or files, weakest first.",
         [](Policy&) -> Slot { return std::monostate{}; }},
        {"sandbox.backend", T::Choice, "\"auto\"", "auto|native|bubblewrap|sandbox-exec|container", P::Never, "0.1",
         "What confines the command. auto is bubblewrap on Linux and sandbox-exec on macOS; native is no sandbox at "
         "all.",
         SBX_CHOICE(backend)},
        {"sandbox.failureMode", T::Choice, "\"fail-hard\"", "fail-hard|fallback-native", P::Lower, "0.1",
         "What to do when the backend is not available on this machine: refuse, or run without a sandbox and say so.",
         SBX_CHOICE(failure_mode)},
        {"sandbox.preset", T::Choice, "\"\"", "|fusion-worktree", P::Never, "0.1",
         "A ready-made set of grants. fusion-worktree: network on, the pnpm store writable, .fusion never writable.",
         SBX_CHOICE(preset)},
        {"sandbox.mode", T::Choice, "\"auto\"", "manual|auto|bypass", P::Lower, "0.1",
         "manual asks on the terminal before the command starts; auto runs it as configured; bypass runs it without a "
         "sandbox.",
         SBX_CHOICE(mode)},
        {"sandbox.trust", T::Choice, "\"owner\"", "owner|untrusted", P::Higher, "0.1",
         "Where the order to run the command came from. untrusted: nothing but private places is writable, no network.",
         SBX_CHOICE(trust)},
        {"sandbox.tainted", T::Switch, "false", "", P::Higher, "0.1",
         "The run has seen text from outside: the tainted guards hold, bypass is paused.", SBX_SLOT(tainted)},
        {"sandbox.bypassWhenTainted", T::Switch, "false", "", P::Lower, "0.1",
         "Let mode = \"bypass\" hold in a tainted run too. With it no guard holds.", SBX_SLOT(bypass_when_tainted)},
        {"sandbox.worktree", T::Path, "", "", P::Inside, "0.1",
         "The folder that the command may write. Default: the git top level of the current folder, else the folder.",
         SBX_SLOT(worktree)},
        {"sandbox.worktreeReadOnly", T::Switch, "false", "", P::Higher, "0.1",
         "Show the worktree read-only: for commands that only look.", SBX_SLOT(worktree_read_only)},
        {"sandbox.repoRoot", T::Path, "", "", P::Never, "0.1",
         "A folder around the worktree that is readable. Default: the main repository of a linked worktree.",
         SBX_SLOT(repo_root)},
        {"sandbox.allowedReadPaths", T::Paths, "[]", "", P::Inside, "0.1",
         "Further files and folders that the command may read.", SBX_SLOT(read_paths)},
        {"sandbox.allowedWritePaths", T::Paths, "[]", "", P::Never, "0.1",
         "Further files and folders that the command may read and write.", SBX_SLOT(write_paths)},
        {"sandbox.network", T::Network, "\"off\"", "off|on", P::Lower, "0.1",
         "off: no network at all but a private loopback. on: the network of this machine.", SBX_CHOICE(network)},
        {"sandbox.allowNetwork", T::OnOff, "false", "off|on", P::Lower, "0.1",
         "Another spelling of network: false is off, true is on.", SBX_CHOICE(network)},
        {"sandbox.allowedPorts", T::Ports, "[]", "", P::Never, "0.1",
         "With network = \"on\": the only TCP ports that the command may listen on. Empty: all but 4040.",
         SBX_SLOT(ports)},
        {"sandbox.allowPort4040Override", T::Switch, "false", "", P::Lower, "0.1",
         "Accept 4040 in allowedPorts; never in vm.publish. It is reserved for the Fusion dashboard.",
         SBX_SLOT(port_4040_override)},
        {"sandbox.home", T::Choice, "\"private\"", "private|persistent|host", P::Lower, "0.1",
         "The command's home directory: empty and gone afterwards; kept by sbx; or the real one.", SBX_CHOICE(home)},
        {"sandbox.toolchains", T::Toolchains, "\"auto\"", "auto|off", P::Toolchains, "0.1",
         "Language installations in the home to show read-only: those that PATH leads to, none, or a list of folders.",
         [](Policy& p) -> Slot { return &p; }},
        {"sandbox.gitConfig", T::Choice, "\"identity\"", "identity|off", P::Higher, "0.1",
         "identity puts a .gitconfig with your name and e-mail into the private home.", SBX_CHOICE(git_config)},
        {"sandbox.gitCommonDir", T::Choice, "\"write\"", "write|read", P::Higher, "0.1",
         "In a linked worktree: whether the command may commit into the main repository's git directory.",
         SBX_CHOICE(git_common_dir)},
        {"sandbox.systemRead", T::Choice, "\"normal\"", "minimal|normal|full", P::Lower, "0.1",
         "How much of the system is readable: a short list, programs and configuration, or all but homes.",
         SBX_CHOICE(system_read)},
        {"sandbox.allowFusionWorktree", T::Switch, "false", "", P::Lower, "0.1",
         "Accept a worktree below .fusion/worktrees/.", SBX_SLOT(allow_fusion_worktree)},
        {"sandbox.nested", T::Choice, "\"off\"", "off|on|weaker", P::Lower, "0.1",
         "Whether the command may start sandboxes of its own; weaker gives up a private /proc where a container "
         "forbids it.",
         SBX_CHOICE(nested)},
        {"sandbox.env.pass", T::VariableNames, "[]", "", P::Never, "0.1",
         "Variables to pass on, besides the built-in list: names, or prefixes that end in *.",
         SBX_SLOT(environment.pass)},
        {"sandbox.env.set", T::Pairs, "{}", "", P::Never, "0.1", "Variables to set.", SBX_SLOT(environment.set)},
        {"untrusted.allow", T::Switch, "true", "", P::Lower, "0.1",
         "false refuses runs with trust = \"untrusted\" altogether.", SBX_SLOT(allow_untrusted)},
        {"zones.safe", T::Paths, "[]", "", P::Never, "0.1",
         "Folders below which paths may be granted for writing, besides the worktree and folders in /tmp.",
         SBX_SLOT(zones.safe)},
        {"zones.restricted", T::Paths, "[]", "", P::Never, "0.1",
         "Folders below which paths may be granted for reading, besides the home.", SBX_SLOT(zones.restricted)},
        {"zones.denied", T::Globs, "[]", "", P::Add, "0.1",
         "Patterns of files that are never granted and hidden where they exist, besides the built-in ones.",
         SBX_SLOT(zones.denied)},
        {"zones.exempt", T::Globs, "[]", "", P::Never, "0.1",
         "File names that stay readable although a denied pattern matches, besides .env.example and its kin.",
         SBX_SLOT(zones.exempt)},
        {"zones.level", T::Choice, "\"safe\"", "restricted|safe", P::Lower, "0.1",
         "restricted refuses every grant for writing.", SBX_CHOICE(zones.level)},
        {"zones.maskGit", T::Switch, "false", "", P::Higher, "0.1", "Hide .git in every granted folder.",
         SBX_SLOT(zones.mask_git)},
        {"zones.strictTmp", T::Text, "\"\"", "", P::Never, "0.1",
         "The only folder in /tmp below which paths may be granted. Empty: any.", SBX_SLOT(zones.strict_tmp)},
        {"guards.git", T::Choice, "\"always\"", "off|tainted|always", P::Higher, "0.1",
         "When the files that make git run programs (hooks, config, ...) are read-only.", SBX_CHOICE(guards.git)},
        {"guards.instructions", T::Choice, "\"tainted\"", "off|tainted|always", P::Higher, "0.1",
         "When the instruction files of agents (AGENTS.md, CLAUDE.md, ...) are kept as they are.",
         SBX_CHOICE(guards.instructions)},
        {"guards.handover", T::Choice, "\"hold\"", "off|report|hold|protect", P::Higher, "0.1",
         "What happens to files that programs on the host will run or obey: nothing, a report, held back, or "
         "read-only as well.",
         SBX_CHOICE(guards.handover)},
        {"guards.paths", T::Paths, "[]", "", P::Add, "0.1", "Further paths that are read-only inside.",
         SBX_SLOT(guards.paths)},
        {"scan.skip", T::Globs, "[]", "", P::Never, "0.1",
         "Folder names that the search for denied files does not enter, besides dependency folders.",
         SBX_SLOT(scan.skip)},
        {"scan.maxEntries", T::Count, "5000000", "", P::Never, "0.1",
         "How many directory entries the search may look at.", SBX_SLOT(scan.max_entries)},
        {"scan.timeout", T::Duration, "\"15s\"", "", P::Never, "0.1", "How long the search may take.",
         SBX_SLOT(scan.timeout_ms)},
        {"scan.onLimit", T::Choice, "\"error\"", "error|note", P::Lower, "0.1",
         "What to do when the search reaches one of its limits: refuse, or go on and say so.",
         SBX_CHOICE(scan.on_limit)},
        {"limits.timeout", T::Duration, "", "", P::Limit, "0.1",
         "End the command after this time: TERM, five seconds later KILL.", SBX_SLOT(limits.timeout_ms)},
        {"limits.memory", T::Size, "", "", P::Limit, "0.1", "Memory of the whole run.", SBX_SLOT(limits.memory)},
        {"limits.processes", T::Count, "", "", P::Limit, "0.1", "How many processes may exist at a time.",
         SBX_SLOT(limits.processes)},
        {"limits.cpus", T::Number, "", "", P::Limit, "0.1", "Processor time, in processors.", SBX_SLOT(limits.cpus)},
        {"limits.fileSize", T::Size, "", "", P::Limit, "0.1", "Size of any one file that the command writes.",
         SBX_SLOT(limits.file_size)},
        {"limits.openFiles", T::Count, "", "", P::Limit, "0.1", "How many files one process may have open.",
         SBX_SLOT(limits.open_files)},
        {"limits.tmpSize", T::Size, "", "", P::Limit, "0.1",
         "Size of each private place in memory: /tmp, /dev/shm, the private home.", SBX_SLOT(limits.tmp_size)},
        {"vm.image", T::Text, "\"\"", "", P::Never, "0.1", "Image of the container backend, NAME@sha256:DIGEST.",
         SBX_SLOT(vm.image)},
        {"vm.profile", T::Choice, "\"\"", "|web|files", P::Never, "0.1",
         "web: public addresses only and no folder. files: no network, the folders of vm.folders read-only.",
         SBX_CHOICE(vm.profile)},
        {"vm.folders", T::Folders, "[]", "", P::Never, "0.1",
         "With profile files: folders to mount read-only at /files/ID; tables with path and id.",
         SBX_SLOT(vm.folders)},
        {"vm.publish", T::Text, "\"\"", "", P::Never, "0.1", "One inbound port: 127.0.0.1:HOSTPORT:GUESTPORT.",
         SBX_SLOT(vm.publish)},
        {"vm.blockedAddresses", T::Names, "[]", "", P::Never, "0.1",
         "Addresses that the guest may not reach, besides private ones and the host's own.",
         SBX_SLOT(vm.blocked_addresses)},
        {"vm.dns", T::Names, "[]", "", P::Never, "0.1", "Name servers of the guest.", SBX_SLOT(vm.dns)},
        {"vm.allowHosts", T::Names, "[]", "", P::Never, "0.1",
         "With profile web: the only hosts that can be reached, on port 443.", SBX_SLOT(vm.allow_hosts)},
        {"vm.cpus", T::Number, "", "", P::Never, "0.1", "Processors of the guest.", SBX_SLOT(vm.cpus)},
        {"vm.memory", T::Size, "", "", P::Never, "0.1", "Memory of the guest.", SBX_SLOT(vm.memory)},
    };
}

}  // namespace

std::string_view Key::table() const {
    size_t dot = name.rfind('.');
    return dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
}

std::string_view Key::leaf() const { return name.substr(name.rfind('.') + 1); }

const std::vector<Key>& schema() {
    static const std::vector<Key> keys = make_schema();
    return keys;
}

const Key* find_key(std::string_view name) {
    for (const Key& key : schema()) {
        if (key.name == name) {
            return &key;
        }
    }
    return nullptr;
}

bool is_table_name(std::string_view name) {
    for (const Key& key : schema()) {
        if (key.name.size() > name.size() && key.name.substr(0, name.size()) == name && key.name[name.size()] == '.') {
            return true;
        }
    }
    return false;
}

const std::vector<KeyAlias>& key_aliases() {
    static const std::vector<KeyAlias> aliases = {{"sandbox.read", "sandbox.allowedReadPaths"},
                                                  {"sandbox.write", "sandbox.allowedWritePaths"}};
    return aliases;
}

}  // namespace sbx
