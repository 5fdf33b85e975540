// A Mac in numbers: what gathering would have found there.
#pragma once

#include <string>

#include "host/facts.h"
#include "plan/plan.h"

namespace sbx::test {

inline HostFacts mac_facts() {
    HostFacts facts;
    facts.platform = Platform::Mac;
    facts.uid = 501;
    facts.gid = 20;
    facts.user = "me";
    facts.cwd = facts.cwd_logical = "/Users/me/src/app";
    facts.home = facts.home_as_given = "/Users/me";
    facts.config_dir = "/Users/me/.config/sbx";
    facts.state_dir = "/Users/me/.local/state/sbx";
    facts.executable = "/opt/homebrew/bin/sbx";
    facts.environment = {{"PATH", "/opt/homebrew/bin:/usr/bin:/bin"}, {"HOME", "/Users/me"}, {"USER", "me"},
                         {"LANG", "en_US.UTF-8"},                     {"FUSION_RUN_ID", "run-1"}, {"SECRET_TOKEN", "x"}};
    facts.terminal_device = "/dev/ttys004";
    facts.mac.user_temp = "/private/var/folders/ab/cdef/T";
    facts.mac.user_cache = "/private/var/folders/ab/cdef/C";
    facts.mac.run_directory = "/private/var/folders/ab/cdef/C/sbx/run-77-1f2e";
    facts.mac.developer = "/Applications/Xcode.app";
    facts.mac.version = "26.1";
    facts.mac.sandbox_exec = true;
    GitFacts git;
    git.top_level = facts.cwd;
    git.entry = "/Users/me/src/app/.git";
    git.git_dir = git.common_dir = git.entry;
    git.trusted = git.writable = true;
    facts.git = git;
    GitDirectory own;
    own.path = git.entry;
    own.existing = {"config", "hooks"};
    own.missing = {"config.worktree", "commondir", "gitdir", "info/attributes"};
    GitDirectory module;
    module.path = git.entry + "/modules/lib";
    module.existing = {"config"};
    module.missing = {"hooks", "info/attributes"};
    facts.git_directories = {own, module};
    Toolchain rustup;
    rustup.prefix = "/Users/me/.rustup";
    Toolchain cargo;
    cargo.prefix = "/Users/me/.cargo";
    cargo.hidden = {"/Users/me/.cargo/credentials.toml"};
    facts.toolchains = {rustup, cargo};
    facts.git_identity = {{"user.name", "Me"}};
    return facts;
}

inline Mount bound(const std::string& path, Purpose purpose, Access access) {
    Mount mount;
    mount.purpose = purpose;
    mount.source = mount.destination = path;
    mount.access = access;
    mount.rule = "test";
    return mount;
}

inline Mount mask(const std::string& path, Purpose purpose = Purpose::Mask) {
    Mount mount = bound(path, purpose, Access::Read);
    mount.kind = Mount::Kind::Mask;
    mount.source.clear();
    return mount;
}

}  // namespace sbx::test
