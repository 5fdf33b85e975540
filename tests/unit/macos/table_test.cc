// One row for each promise: what a Seatbelt profile allows and denies. Every row is asked of every
// shipped profile, on a system with and one without the newer operations.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "macos/render/seatbelt.h"
#include "unit/macos/evaluator.h"
#include "unit/macos/profiles.h"

namespace sbx {
namespace {

enum class Expect { Allow, Deny, Writable, Unguarded, Network, Normal, Toolchains };

/// What each profile says of itself, written down a second time on purpose.
struct Shape {
    const char* profile;
    bool writable;     ///< the worktree
    bool network;
    bool normal;       ///< systemRead is not minimal
    bool toolchains;
    bool guarded = true;   ///< guards.git applies although nothing is tainted
};
const Shape kShapes[] = {
    {"", true, false, true, true},          {"agent", true, true, true, true},   {"ci", true, false, true, true},
    {"decode", false, false, false, false}, {"default", true, false, true, true}, {"files", true, false, true, true},
    {"fusion", true, true, true, true},    {"git-look", false, false, true, false}, {"go", true, true, true, true},
    {"node", true, true, true, true},       {"pine", true, false, true, true, false},   {"python", true, true, true, true},
    {"rust", true, true, true, true},       {"untrusted", false, false, false, false}, {"web", true, true, true, true}};

struct Row {
    const char* promise;
    const char* operation;
    const char* key;
    std::string value;
    Expect expect;
};

const std::string kApp = "/Users/me/src/app";
const std::string kRun = "/private/var/folders/ab/cdef/C/sbx/run-77-1f2e";
const std::string kTemp = "/private/var/folders/ab/cdef/T";

std::vector<Row> rows() {
    std::vector<Row> out;
    auto add = [&](const char* promise, const char* operation, const char* key, const std::string& value, Expect expect) {
        out.push_back({promise, operation, key, value, expect});
    };
    auto path = [&](const char* promise, const char* operation, const std::string& value, Expect expect) {
        add(promise, operation, "path", value, expect);
    };
    // P22, P27, F36: the worktree
    for (const std::string& p : {kApp, kApp + "/main.c", kApp + "/src/deep/er/x.h", kApp + "/.git/HEAD", kApp + "/.git/objects/ab/cd"}) {
        path("P22 read the worktree", "file-read-data", p, Expect::Allow);
        path("P22 stat the worktree", "file-read-metadata", p, Expect::Allow);
        path("P27 write the worktree", "file-write-data", p, Expect::Writable);
    }
    path("P27 create", "file-write-create", kApp + "/new", Expect::Writable);
    path("P27 remove", "file-write-unlink", kApp + "/old", Expect::Writable);
    path("P27 chmod", "file-write-mode", kApp + "/x", Expect::Writable);
    path("P27 run what was built", "process-exec", kApp + "/a.out", Expect::Allow);
    path("P27 load what was built", "file-map-executable", kApp + "/lib.dylib", Expect::Allow);
    path("the worktree itself stays", "file-write-unlink", kApp, Expect::Deny);
    path("nor what leads to it", "file-write-unlink", "/Users/me/src", Expect::Deny);
    path("setuid bits (nix)", "file-write-setugid", kApp + "/x", Expect::Deny);
    path("commit", "file-write-create", kApp + "/.git/index.lock", Expect::Writable);
    // Guards: git, present and missing names
    for (const char* name : {"config", "hooks", "hooks/pre-commit", "config.worktree", "commondir", "gitdir", "info/attributes",
                             "modules/lib/config", "modules/lib/hooks", "modules/lib/hooks/post-checkout"}) {
        std::string p = kApp + "/.git/" + name;
        if (std::string(name) == "gitdir") {
            path("guards.git gitdir", "file-write-data", p, Expect::Unguarded);
            continue;
        }
        path("guards.git keeps it readable", "file-read-data", p, Expect::Allow);
        path("guards.git no change", "file-write-data", p, Expect::Unguarded);
        path("guards.git no creation", "file-write-create", p, Expect::Unguarded);
        path("guards.git no removal", "file-write-unlink", p, Expect::Unguarded);
        path("guards.git no mode", "file-write-mode", p, Expect::Unguarded);
    }
    for (const char* name : {"", "/modules", "/modules/lib", "/info"}) {
        path("guards.git: no directory above moves (srt#8)", "file-write-unlink", kApp + "/.git" + name, Expect::Unguarded);
    }
    path("guards.git: config.lock is not the file", "file-write-create", kApp + "/.git/config.lock", Expect::Writable);
    // P28, C15, P33: the private home; others' places
    path("P26 the policy's own .fusion", "file-write-create", kApp + "/.fusion", Expect::Deny);
    path("F45 .fusion/tasks", "file-write-create", kApp + "/.fusion/tasks/1", Expect::Deny);
    path("F44 .fusion/fusion.db", "file-write-data", kApp + "/.fusion/fusion.db", Expect::Deny);
    path("P29 private temp", "file-write-create", kRun + "/tmp/x", Expect::Allow);
    path("P29 private temp", "file-read-data", kRun + "/tmp/x", Expect::Allow);
    path("the profile's file is not shown", "file-read-data", kRun + "/profile.sb", Expect::Deny);
    path("P33 other runs", "file-read-data", "/private/var/folders/ab/cdef/C/sbx/run-99-0000/home/x", Expect::Deny);
    path("P33 other runs", "file-write-create", "/private/var/folders/ab/cdef/C/sbx/run-99-0000/home/x", Expect::Deny);
    path("C22 the cache beside temp", "file-read-data", "/private/var/folders/ab/cdef/C/com.apple.x", Expect::Deny);
    path("C22 other users' temp", "file-read-data", "/private/var/folders/zz/other/T/x", Expect::Deny);
    // F36, P25, P29, C23: temp
    for (const std::string& p : {std::string("/private/tmp/x"), std::string("/tmp/x"), kTemp + "/x",
                                 std::string("/var/folders/ab/cdef/T/x")}) {
        path("F36 temp is writable", "file-write-create", p, Expect::Allow);
        path("P25 temp is readable", "file-read-data", p, Expect::Allow);
    }
    path("xcrun's cache is what the host runs", "file-write-data", kTemp + "/xcrun_db", Expect::Deny);
    path("xcrun's cache cannot be replaced", "file-write-create", kTemp + "/xcrun_db", Expect::Deny);
    path("temp itself stays", "file-write-unlink", "/private/tmp", Expect::Deny);
    path("/var/tmp is not promised", "file-write-create", "/private/var/tmp/x", Expect::Deny);
    // P31, P32: the home and sbx's own files
    for (const char* name : {"", "/.ssh/id_rsa", "/.ssh", "/.aws/credentials", "/Documents/a.txt", "/Library/Keychains/login.keychain-db",
                             "/.config/sbx/sbx.toml", "/.local/state/sbx/trust", "/.netrc", "/.zshrc", "/.cargo/credentials.toml",
                             "/Library/Cookies/x", "/src/other/secret", "/.gitconfig"}) {
        std::string p = std::string("/Users/me") + name;
        path("P31 home is not readable", "file-read-data", p, Expect::Deny);
        path("P31 home is not writable", "file-write-data", p, Expect::Deny);
        path("P31 nothing is created", "file-write-create", p, Expect::Deny);
    }
    path("P31 no stat of what is not on the way", "file-read-metadata", "/Users/me/.ssh/id_rsa", Expect::Deny);
    path("the way to the worktree can be passed", "file-read-metadata", "/Users/me", Expect::Allow);
    path("P31 the neighbour's home", "file-read-data", "/Users/you/x", Expect::Deny);
    path("root's home", "file-read-data", "/private/var/root/x", Expect::Deny);
    path("other disks", "file-read-data", "/Volumes/Backup/x", Expect::Deny);
    path("P36 launch agents", "file-write-create", "/Users/me/Library/LaunchAgents/x.plist", Expect::Deny);
    path("the home by its second name", "file-read-data", "/System/Volumes/Data/Users/me/.ssh/id_rsa", Expect::Deny);
    path("the home by its second name", "file-write-data", "/System/Volumes/Data/Users/me/.ssh/id_rsa", Expect::Deny);
    path("P38 keychains of the machine", "file-read-data", "/Library/Keychains/System.keychain", Expect::Deny);
    // Toolchains below the home
    path("toolchains", "file-read-data", "/Users/me/.rustup/toolchains/stable/bin/rustc", Expect::Toolchains);
    path("toolchains run", "process-exec", "/Users/me/.cargo/bin/cargo", Expect::Toolchains);
    path("toolchains are read-only", "file-write-data", "/Users/me/.cargo/bin/cargo", Expect::Deny);
    path("toolchains' credentials", "file-read-data", "/Users/me/.cargo/credentials.toml", Expect::Deny);
    // F38, P26, C3: the system
    for (const char* p : {"/usr/bin/git", "/bin/sh", "/sbin/md5", "/System/Library/Frameworks/x", "/usr/lib/dyld",
                          "/private/etc/ssl/cert.pem", "/private/etc/hosts", "/private/etc/services", "/private/etc/resolv.conf",
                          "/private/var/run/resolv.conf", "/private/var/db/timezone/zoneinfo/UTC", "/private/etc/localtime",
                          "/private/var/select/sh", "/private/var/db/xcode_select_link", "/private/var/db/dyld/x",
                          "/System/Volumes/Preboot/Cryptexes/OS/usr/lib/x", "/private/preboot/Cryptexes/OS/usr/lib/x", "/etc/hosts", "/var/run/resolv.conf",
                          "/private/etc/passwd", "/usr/share/zoneinfo/UTC", "/Library/Developer/CommandLineTools/usr/bin/git",
                          "/Applications/Xcode.app/Contents/Developer/usr/bin/git"}) {
        path("F38 system is readable", "file-read-data", p, Expect::Allow);
        path("F38 system is not writable", "file-write-data", p, Expect::Deny);
    }
    for (const char* p : {"/opt/homebrew/bin/node", "/Library/Fonts/x", "/private/etc/ssh/ssh_config", "/nix/store/x"}) {
        path("P26 systemRead = normal", "file-read-data", p, Expect::Normal);
        path("P26 not writable", "file-write-data", p, Expect::Deny);
    }
    for (const char* p : {"/private/etc/master.passwd", "/private/etc/sudoers", "/private/etc/sudoers.d/x",
                          "/private/etc/ssh/ssh_host_ed25519_key", "/private/var/db/dslocal/nodes/x", "/private/etc/krb5.keytab",
                          "/private/var/db/Spotlight/x", "/private/var/log/system.log", "/Applications/Mail.app/x", "/cores/x"}) {
        path("as root, too: not for every user", "file-read-data", p, Expect::Deny);
        path("as root, too: not writable", "file-write-data", p, Expect::Deny);
    }
    for (const char* p : {"/usr/bin/git", "/bin/sh", "/usr/bin/xcrun"}) {
        path("programs run", "process-exec", p, Expect::Allow);
        path("libraries load", "file-map-executable", p, Expect::Allow);
    }
    path("programs of the home do not", "process-exec", "/Users/me/bin/tool", Expect::Deny);
    path("code of the home is not loaded", "file-map-executable", "/Users/me/lib.dylib", Expect::Deny);
    path("mise#12263 the root directory", "file-read-data", "/", Expect::Allow);
    for (const char* p : {"/tmp", "/var", "/etc"}) {
        path("links on the way", "file-read-data", p, Expect::Allow);
        path("links stay", "file-write-unlink", p, Expect::Deny);
    }
    // Devices
    for (const char* p : {"/dev/null", "/dev/zero", "/dev/tty", "/dev/ptmx", "/dev/ttys004", "/dev/stdout", "/dev/fd/3"}) {
        path("devices are read", "file-read-data", p, Expect::Allow);
        path("devices are written", "file-write-data", p, Expect::Allow);
    }
    for (const char* p : {"/dev/urandom", "/dev/random", "/dev/autofs_nowait", "/dev/dtracehelper"}) {
        path("devices are read", "file-read-data", p, Expect::Allow);
    }
    for (const char* p : {"/dev/tty", "/dev/ttys004", "/dev/ptmx", "/dev/dtracehelper"}) {
        path("raw mode (agent-safehouse#98)", "file-ioctl", p, Expect::Allow);
    }
    for (const char* p : {"/dev/disk0", "/dev/rdisk0", "/dev/ttys005", "/dev/cu.usbserial", "/dev/bpf0", "/dev/console", "/dev/klog"}) {
        path("other devices: not read", "file-read-data", p, Expect::Deny);
        path("other devices: not written", "file-write-data", p, Expect::Deny);
        path("other devices: no ioctl", "file-ioctl", p, Expect::Deny);
    }
    path("no device nodes", "file-mknod", kApp + "/d", Expect::Deny);
    path("no mounts", "file-mount", kApp, Expect::Deny);
    path("no chroot", "file-chroot", kApp, Expect::Deny);
    path("no extensions for others", "file-issue-extension", kApp, Expect::Deny);
    // P35: other processes
    for (const char* operation : {"signal", "process-info-pidinfo", "process-info-listpids", "process-info-pidfdinfo",
                                  "process-info-rusage", "process-info-setcontrol"}) {
        add("P35 nobody else", operation, "target", "others", Expect::Deny);
        add("P35 itself", operation, "target", "self", Expect::Allow);
        add("P35 what runs in the sandbox", operation, "target", "same-sandbox", Expect::Allow);
    }
    add("P35 no debugging", "mach-priv-task-port", "target", "others", Expect::Deny);
    add("P35 no task names", "mach-task-name", "target", "others", Expect::Deny);
    add("P35 no arguments of others", "sysctl-read", "sysctl-name", "kern.procargs2", Expect::Deny);
    add("P35 no list of processes", "sysctl-read", "sysctl-name", "kern.proc.all", Expect::Deny);
    for (const char* name : {"hw.ncpu", "hw.memsize", "machdep.cpu.brand_string", "kern.osproductversion", "kern.ostype", "hw.pagesize"}) {
        add("node, go and java ask for it", "sysctl-read", "sysctl-name", name, Expect::Allow);
        add("and set nothing", "sysctl-write", "sysctl-name", name, Expect::Deny);
    }
    add("fork", "process-fork", "process-name", "x", Expect::Allow);
    // P36 to P39: services
    add("P36 no launching", "lsopen", "process-name", "x", Expect::Deny);
    add("P36 no jobs", "job-creation", "path", "/x", Expect::Deny);
    add("P37 no AppleScript", "appleevent-send", "appleevent-destination", "com.apple.finder", Expect::Deny);
    for (const char* name : {"com.apple.coreservices.launchservicesd", "com.apple.lsd.mapdb", "com.apple.lsd.open",
                             "com.apple.CoreServices.coreservicesd"}) {
        add("P36, C21 launch services", "mach-lookup", "global-name", name, Expect::Deny);
    }
    add("P37 apple events", "mach-lookup", "global-name", "com.apple.coreservices.appleevents", Expect::Deny);
    for (const char* name : {"com.apple.SecurityServer", "com.apple.securityd", "com.apple.securityd.xpc", "com.apple.secd",
                             "com.apple.security.agent", "com.apple.security.authhost"}) {
        add("P38 keychain", "mach-lookup", "global-name", name, Expect::Deny);
    }
    for (const char* name : {"com.apple.pasteboard.1", "com.apple.windowserver.active", "com.apple.cfprefsd.agent",
                             "com.apple.cfprefsd.daemon", "com.apple.FSEvents", "com.apple.tccd", "com.apple.xpc.launchd.domain.system",
                             "com.apple.audio.coreaudiod", "com.docker.vmnetd", "com.apple.distributed_notifications@Uv3",
                             "com.apple.containermanagerd"}) {
        add("P39 clipboard and other services", "mach-lookup", "global-name", name, Expect::Deny);
    }
    for (const char* name : {"com.apple.system.opendirectoryd.libinfo", "com.apple.system.opendirectoryd.membership",
                             "com.apple.system.opendirectoryd.api", "com.apple.system.notification_center", "com.apple.bsd.dirhelper",
                             "sbx.run.run-77-1f2e"}) {
        add("git and python need it", "mach-lookup", "global-name", name, Expect::Allow);
    }
    add("the mark of other runs", "mach-lookup", "global-name", "sbx.run.run-77-1f2e.other", Expect::Deny);
    add("no services of its own", "mach-register", "global-name", "com.apple.x", Expect::Deny);
    for (const char* operation : {"authorization-right-obtain", "distributed-notification-post", "user-preference-read",
                                  "user-preference-write", "hid-control", "device-camera", "device-microphone", "iokit-open",
                                  "iokit-get-properties", "iokit-set-properties", "system-reboot", "system-set-time",
                                  "system-privilege", "ipc-sysv-shm", "ipc-sysv-msg", "ipc-sysv-sem", "load-unsigned-code",
                                  "system-fsctl", "system-audit", "mach-priv-host-port"}) {
        add("not needed, not given", operation, "process-name", "x", Expect::Deny);
    }
    add("semaphores", "ipc-posix-sem", "ipc-posix-name", "/mp-1", Expect::Allow);
    add("other programs' shared memory", "ipc-posix-shm-write-data", "ipc-posix-name", "/other", Expect::Deny);
    add("terminals made inside", "pseudo-tty", "process-name", "x", Expect::Allow);
    // P34, F39 to F41: the network
    for (const char* remote : {"1.1.1.1:443", "127.0.0.1:80", "[2606::1]:443", "192.168.1.1:53"}) {
        add("P34, F39 outbound", "network-outbound", "remote", remote, Expect::Network);
    }
    for (const char* local : {"0.0.0.0:8080", "127.0.0.1:3000", "0.0.0.0:0"}) {
        add("F39 bind", "network-bind", "local", local, Expect::Network);
        add("F39 listen", "network-inbound", "local", local, Expect::Network);
    }
    for (const char* local : {"0.0.0.0:4040", "127.0.0.1:4040"}) {
        add("F41 always", "network-bind", "local", local, Expect::Deny);
    }
    add("F39 sockets", "system-socket", "socket-domain", "2", Expect::Network);
    path("nono#588 DNS", "network-outbound", "/private/var/run/mDNSResponder", Expect::Network);
    for (const char* p : {"/var/run/docker.sock", "/private/var/run/docker.sock", "/Users/me/.docker/run/docker.sock",
                          "/private/tmp/com.apple.launchd.x/Listeners", "/private/var/run/com.apple.launchd.x/Listeners",
                          "/private/tmp/tmux-501/default", "/Users/me/.gnupg/S.gpg-agent", "/private/var/run/syslog"}) {
        path("sockets of the host", "network-outbound", p, Expect::Deny);
        path("sockets of the host", "network-bind", p, Expect::Deny);
    }
    for (const std::string& p : {kApp + "/.git/fsmonitor--daemon.ipc", kRun + "/tmp/moved.sock"}) {
        path("not even where it may write", "network-outbound", p, Expect::Deny);
    }
    for (const char* name : {"com.apple.dnssd.service", "com.apple.SystemConfiguration.configd", "com.apple.trustd",
                             "com.apple.trustd.agent", "com.apple.SystemConfiguration.DNSConfiguration"}) {
        add("DNS and certificates go with the network", "mach-lookup", "global-name", name, Expect::Network);
    }
    return out;
}

bool expected(Expect expect, const Shape& shape) {
    switch (expect) {
        case Expect::Allow: return true;
        case Expect::Deny: return false;
        case Expect::Writable: return shape.writable;
        case Expect::Unguarded: return shape.writable && !shape.guarded;
        case Expect::Network: return shape.network;
        case Expect::Normal: return shape.normal;
        case Expect::Toolchains: return shape.toolchains;
    }
    return false;
}

// F29
TEST(SeatbeltTable, EveryPromiseHoldsInEveryShippedProfile) {
    SBX_NEED_EVALUATOR(evaluator);
    const std::vector<Row> table = rows();
    EXPECT_GE(table.size(), 200U);
    std::vector<test::Evaluator::Question> questions;
    for (const Row& row : table) {
        questions.push_back({row.operation, row.key, row.value});
    }
    HostFacts facts = test::mac_facts();
    for (const Shape& shape : kShapes) {
        auto plan = test::plan_of_profile(shape.profile, {{"sandbox.home", "private"}}, facts);
        ASSERT_TRUE(plan.ok()) << shape.profile << ": " << plan.error().message;
        auto profile = render_seatbelt(*plan, facts);
        ASSERT_TRUE(profile.ok()) << profile.error().message;
        for (bool old : {false, true}) {
            ASSERT_EQ(evaluator.load(*profile, old), "ok") << shape.profile;
            std::vector<std::string> answers = evaluator.ask_all(questions);
            for (size_t i = 0; i < table.size(); ++i) {
                const Row& row = table[i];
                const std::string& answer = answers[i];
                EXPECT_EQ(answer.rfind(expected(row.expect, shape) ? "allow " : "deny ", 0), 0U)
                    << shape.profile << (old ? " (old)" : "") << ": " << row.promise << ": " << row.operation << " " << row.value
                    << " -> " << answer;
            }
        }
    }
}

TEST(SeatbeltTable, KnowsEveryShippedProfile) {
    for (const ShippedProfile& shipped : shipped_profiles()) {
        bool known = shipped.name == "tatu";  // grants the whole home for reading: see below
        for (const Shape& shape : kShapes) {
            known = known || shipped.name == shape.profile;
        }
        EXPECT_TRUE(known) << "add a row for " << shipped.name;
    }
}

struct Case {
    const char* what;
    const char* profile;
    test::Flags flags;
    const char* operation;
    const char* key;
    std::string value;
    bool allowed;
};

TEST(SeatbeltTable, SettingsChangeWhatTheySayTheyChange) {
    SBX_NEED_EVALUATOR(evaluator);
    HostFacts facts = test::mac_facts();
    for (const char* path : {"/opt/data", "/Volumes/d/out", "/Users/me/src/lib", "/Users/me"}) {
        test::add_path(facts, path);
    }
    const std::vector<Case> cases = {
        {"C19 what is writable is readable", "", {{"sandbox.allowedWritePaths", "/Volumes/d/out"}}, "file-read-data", "path", "/Volumes/d/out/x", true},
        {"F36 a write path", "", {{"sandbox.allowedWritePaths", "/Volumes/d/out"}}, "file-write-create", "path", "/Volumes/d/out/x", true},
        {"its parent can be passed", "", {{"sandbox.allowedWritePaths", "/Volumes/d/out"}}, "file-read-metadata", "path", "/Volumes/d", true},
        {"and not listed", "", {{"sandbox.allowedWritePaths", "/Volumes/d/out"}}, "file-read-data", "path", "/Volumes/d", false},
        {"F37 a read path", "", {{"sandbox.allowedReadPaths", "/Users/me/src/lib"}}, "file-read-data", "path", "/Users/me/src/lib/x", true},
        {"F37 read only", "", {{"sandbox.allowedReadPaths", "/Users/me/src/lib"}}, "file-write-data", "path", "/Users/me/src/lib/x", false},
        {"its neighbour", "", {{"sandbox.allowedReadPaths", "/Users/me/src/lib"}}, "file-read-data", "path", "/Users/me/src/lib2", false},
        {"C13 .fusion of a granted folder", "", {{"sandbox.allowedWritePaths", "/Volumes/d/out"}}, "file-write-create", "path", "/Volumes/d/out/.fusion/x", false},
        {"F39 allowNetwork", "", {{"sandbox.network", "on"}}, "network-outbound", "remote", "1.1.1.1:443", true},
        {"F40", "agent", {{"sandbox.network", "off"}}, "network-outbound", "remote", "1.1.1.1:443", false},
        {"C14 only these ports", "", {{"sandbox.network", "on"}, {"sandbox.allowedPorts", "8080"}}, "network-bind", "local", "0.0.0.0:8080", true},
        {"C14 no other port", "", {{"sandbox.network", "on"}, {"sandbox.allowedPorts", "8080"}}, "network-bind", "local", "0.0.0.0:8081", false},
        {"C14 connecting stays", "", {{"sandbox.network", "on"}, {"sandbox.allowedPorts", "8080"}}, "network-outbound", "remote", "1.1.1.1:443", true},
        {"F41 with the override", "", {{"sandbox.network", "on"}, {"sandbox.allowPort4040Override", "true"}, {"sandbox.allowedPorts", "4040"}}, "network-bind", "local", "0.0.0.0:4040", false},
        {"systemRead = full", "", {{"sandbox.systemRead", "full"}}, "file-read-data", "path", "/Volumes/Backup/x", true},
        {"systemRead = full without homes", "", {{"sandbox.systemRead", "full"}}, "file-read-data", "path", "/Users/you/x", false},
        {"systemRead = full without the own home", "", {{"sandbox.systemRead", "full"}}, "file-read-data", "path", "/Users/me/.ssh/id_rsa", false},
        {"systemRead = full with the worktree", "", {{"sandbox.systemRead", "full"}}, "file-read-data", "path", "/Users/me/src/app/x", true},
        {"systemRead = full writes nothing", "", {{"sandbox.systemRead", "full"}}, "file-write-data", "path", "/Volumes/Backup/x", false},
        {"systemRead = full without shadow", "", {{"sandbox.systemRead", "full"}}, "file-read-data", "path", "/private/etc/master.passwd", false},
        {"guards.git = off", "", {{"guards.git", "off"}}, "file-write-data", "path", "/Users/me/src/app/.git/config", true},
        {"guards.git = tainted, clean", "pine", {}, "file-write-data", "path", "/Users/me/src/app/.git/config", true},
        {"guards.git = tainted, tainted", "pine", {{"sandbox.tainted", "true"}}, "file-write-data", "path", "/Users/me/src/app/.git/config", false},
        {"guards.git = tainted, missing name", "pine", {{"sandbox.tainted", "true"}}, "file-write-create", "path", "/Users/me/src/app/.git/commondir", false},
        {"home = persistent", "pine", {{"sandbox.home", "persistent"}}, "file-read-data", "path", "/Users/me/.ssh/id_rsa", false},
        {"toolchains = off", "", {{"sandbox.toolchains", "off"}}, "file-read-data", "path", "/Users/me/.ssh/id_rsa", false},
    };
    for (const Case& row : cases) {
        auto plan = test::plan_of_profile(row.profile, row.flags, facts);
        ASSERT_TRUE(plan.ok()) << row.what << ": " << plan.error().message;
        auto profile = render_seatbelt(*plan, facts);
        ASSERT_TRUE(profile.ok()) << row.what;
        ASSERT_EQ(evaluator.load(*profile), "ok") << row.what;
        EXPECT_EQ(evaluator.allows(row.operation, {{row.key, row.value}}), row.allowed)
            << row.what << " -> " << evaluator.ask(row.operation, {{row.key, row.value}});
    }
}

TEST(SeatbeltTable, TheTerminalTakesNoTypedInput) {
    SBX_NEED_EVALUATOR(evaluator);
    HostFacts facts = test::mac_facts();
    auto plan = test::plan_of_profile("", {}, facts);
    ASSERT_TRUE(plan.ok());
    auto profile = render_seatbelt(*plan, facts);
    ASSERT_EQ(evaluator.load(*profile), "ok");
    std::string tiocsti = std::to_string(('t' << 8) | 114);
    EXPECT_FALSE(evaluator.allows("file-ioctl", {{"path", "/dev/ttys004"}, {"ioctl", tiocsti}}));
    EXPECT_TRUE(evaluator.allows("file-ioctl", {{"path", "/dev/ttys004"}, {"ioctl", std::to_string(('t' << 8) | 19)}}));
    EXPECT_TRUE(evaluator.allows("file-read-data", {{"path", "/dev/ttys009"}, {"extension", "com.apple.sandbox.pty"}}));
}

TEST(SeatbeltTable, NoFilledDirectoryIsMovedAboveAGuardedName) {
    SBX_NEED_EVALUATOR(evaluator);
    HostFacts facts = test::mac_facts();
    auto plan = test::plan_of_profile("", {}, facts);
    ASSERT_TRUE(plan.ok());
    for (bool old : {false, true}) {
        ASSERT_EQ(evaluator.load(*render_seatbelt(*plan, facts), old), "ok");
        for (const char* type : {"SYMLINK", "DIRECTORY", "REGULAR-FILE"}) {
            EXPECT_FALSE(evaluator.allows("file-write-create", {{"path", "/Users/me/src/app/.git/info"}, {"vnode-type", type}})) << type;
        }
        EXPECT_TRUE(evaluator.allows("file-write-create", {{"path", "/Users/me/src/app/.git/info/x"}, {"vnode-type", "REGULAR-FILE"}}));
        EXPECT_TRUE(old || !evaluator.allows("file-clone", {{"path", "/Users/me/src/app/.git/info"}}));
    }
}

/// Each writing operation on each of `names`: all denied, or all allowed.
void expect_writing(test::Evaluator& evaluator, const std::vector<std::string>& names, bool allowed) {
    for (const std::string& name : names) {
        for (const char* operation : {"file-write-create", "file-write-data", "file-write-unlink", "file-write-mode", "file-link", "file-clone"}) {
            EXPECT_EQ(evaluator.allows(operation, {{"path", "/Users/me/src/app/" + name}}), allowed) << operation << " " << name;
        }
    }
}

TEST(SeatbeltTable, HandoverNamesAreGuardedWhileTheyAreFree) {  // guards.handover, guards.instructions
    SBX_NEED_EVALUATOR(evaluator);
    HostFacts facts = test::mac_facts();
    facts.cwd = facts.cwd_logical = "/Users/me/src/app/packages/a";
    facts.scan.repositories = {"/Users/me/src/app/vendor/lib/.git"};
    HandoverMatch match;
    match.path = "/Users/me/src/app/tools/.npmrc";
    facts.scan.handover = {match};
    test::Flags flags = {{"sandbox.worktree", "/Users/me/src/app"}, {"guards.instructions", "off"}};
    test::add_path(facts, "/Users/me/src/app");
    auto load = [&](const char* handover, const char* instructions) {
        flags.insert(flags.end(), {{"guards.handover", handover}, {"guards.instructions", instructions}});
        auto plan = test::plan_of_profile("", flags, facts);
        ASSERT_TRUE(plan.ok()) << plan.error().message;
        // What is there all the same afterwards is held: the rule is not the only line.
        EXPECT_EQ(std::count(plan->handover.read_only.begin(), plan->handover.read_only.end(), "/Users/me/src/app/.envrc"), 0);
        ASSERT_EQ(evaluator.load(*render_seatbelt(*plan, facts)), "ok");
    };
    const std::vector<std::string> files = {".vscode", ".vscode/tasks.json", ".envrc", ".mcp.json", ".cargo/config.toml", ".github/hooks/pre",
                                            "packages/.envrc", "packages/a/.vscode/tasks.json", "vendor/lib/.npmrc", "tools/.yarnrc"};
    const std::vector<std::string> instructions = {"AGENTS.md", "packages/a/CLAUDE.md", ".github/copilot-instructions.md"};
    const std::vector<std::string> others = {"main.c", ".github/workflows/x", "packages/b/x", "packages/a/config.toml"};
    load("protect", "off");
    expect_writing(evaluator, files, false);
    expect_writing(evaluator, instructions, true);
    expect_writing(evaluator, others, true);
    EXPECT_FALSE(evaluator.allows("file-write-create", {{"path", "/Users/me/src/app/.cargo"}}));
    load("hold", "always");
    expect_writing(evaluator, files, true);
    expect_writing(evaluator, instructions, false);
    load("hold", "off");
    expect_writing(evaluator, files, true);
    expect_writing(evaluator, instructions, true);
    expect_writing(evaluator, others, true);
}

}  // namespace
}  // namespace sbx
