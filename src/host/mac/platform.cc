#include "host/platform.h"

#include <fcntl.h>
#include <limits.h>
#include <mach-o/dyld.h>
#include <sys/stat.h>
#include <sys/sysctl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "host/resolve.h"
#include "util/fd.h"
#include "util/text.h"

// In libSystem since 10.5, in no public header; Homebrew and Chromium ask the same way.
extern "C" int sandbox_check(pid_t pid, const char* operation, int filter, ...);

namespace sbx {
namespace {

// What `systemRead` shows at most without "full" (plan/mac.cc); here so that no worktree may be one of them.
constexpr std::array<const char*, 6> kSystemPaths = {"/usr", "/bin", "/sbin", "/System", "/Library", "/private/etc"};

constexpr int kHighestPipe = 255;

std::string executable_path() {
    uint32_t size = 0;
    _NSGetExecutablePath(nullptr, &size);
    std::string buffer(size, '\0');
    if (_NSGetExecutablePath(buffer.data(), &size) != 0) {
        return "";
    }
    return real_path(buffer.c_str()).value_or("");
}

std::string directory_of_user(int name) {
    std::array<char, PATH_MAX> buffer{};
    size_t length = confstr(name, buffer.data(), buffer.size());
    if (length == 0 || length > buffer.size()) {
        return "";
    }
    return real_path(buffer.data()).value_or("");
}

std::string system_version() {
    std::array<char, 64> buffer{};
    size_t size = buffer.size() - 1;
    return sysctlbyname("kern.osproductversion", buffer.data(), &size, nullptr, 0) == 0 ? buffer.data() : "";
}

/// Xcode has to be seen as a whole: its tools look for each other outside of the developer directory.
std::string developer_tools() {
    auto path = real_path("/private/var/db/xcode_select_link");
    for (const char* fallback : {"/Applications/Xcode.app", "/Library/Developer/CommandLineTools"}) {
        path = path ? path : real_path(fallback);
    }
    if (!path) {
        return "";
    }
    size_t app = path->find(".app/");
    return app == std::string::npos ? *path : path->substr(0, app + 4);
}

std::string run_directory(const std::string& cache) {
    if (cache.empty()) {
        return "";
    }
    std::array<char, 40> name{};
    std::snprintf(name.data(), name.size(), "sbx/run-%d-%08x", static_cast<int>(getpid()), arc4random());
    return path_join(cache, name.data());
}

void find_inherited(HostFacts& facts) {
    for (int fd = 3; fd <= kHighestPipe; ++fd) {
        struct stat status {};
        if (fcntl(fd, F_GETFD) >= 0 && fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode)) {
            facts.inherited_pipes.push_back(fd);
        }
    }
    for (int fd = 0; fd < 3 && facts.terminal_device.empty(); ++fd) {
        std::array<char, 128> name{};
        if (isatty(fd) == 1 && ttyname_r(fd, name.data(), name.size()) == 0) {
            facts.terminal_device = name.data();
        }
    }
}

}  // namespace

Result<void> gather_platform_caller(HostFacts& facts) {
    facts.platform = Platform::Mac;
    facts.executable = executable_path();
    find_inherited(facts);
    facts.has_terminal = Fd(open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)).valid();
    facts.mac.user_temp = directory_of_user(_CS_DARWIN_USER_TEMP_DIR);
    facts.mac.user_cache = directory_of_user(_CS_DARWIN_USER_CACHE_DIR);
    // Not the folder for temporary files, which is every sandbox's.
    facts.live_dir = facts.mac.user_cache.empty() ? path_join(facts.state_dir, "live")
                                                  : path_join(facts.mac.user_cache, "sbx-live");
    facts.mac.run_directory = run_directory(facts.mac.user_cache);
    facts.mac.version = system_version();
    return {};
}

Result<void> gather_platform(const Policy&, HostFacts& facts) {
    for (const char* path : kSystemPaths) {
        FileKind kind = kind_of(path);
        if (kind != FileKind::Missing) {
            facts.system.push_back({path, kind, ""});
        }
    }
    facts.mac.developer = developer_tools();
    facts.mac.sandbox_exec = access("/usr/bin/sandbox-exec", X_OK) == 0;
    facts.mac.inside_sandbox = sandbox_check(getpid(), nullptr, 0) == 1;
    return {};
}

}  // namespace sbx
