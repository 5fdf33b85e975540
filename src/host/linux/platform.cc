#include "host/platform.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "host/linux/bwrap_program.h"
#include "host/linux/cgroups.h"
#include "host/linux/system_paths.h"
#include "host/resolve.h"
#include "util/fd.h"
#include "util/text.h"

namespace sbx {
namespace {

// Root owns these, and the kernel asks for no capability when they are written or read: a sandbox of root
// could detach the machine's disks (CVE-2017-16539). bwrap itself covers sys, sysrq-trigger, irq and bus.
constexpr std::array<const char*, 9> kRootsProc = {"/proc/acpi",        "/proc/asound",        "/proc/scsi",
                                                   "/proc/kcore",       "/proc/keys",          "/proc/timer_list",
                                                   "/proc/sched_debug", "/proc/latency_stats", "/proc/slabinfo"};

constexpr unsigned kLandlockVersion = 1;
constexpr int kMostTaken = 10;  ///< names that others took before

// Shells put process substitutions just below 64 or 256, make its jobserver just above 2.
constexpr int kHighestPipe = 255;

/// make 4.4 names its jobserver as a FIFO in a temporary folder, which does not show inside. Opened here and
/// named as a descriptor, as make did before and still understands.
void adopt_jobserver(HostFacts& facts) {
    constexpr std::string_view kOption = "--jobserver-auth=fifo:";
    for (auto& [name, value] : facts.environment) {
        size_t at = name == "MAKEFLAGS" ? value.find(kOption) : std::string::npos;
        if (at == std::string::npos) {
            continue;
        }
        size_t start = at + kOption.size();
        size_t end = std::min(value.find(' ', start), value.size());
        int fd = open(value.substr(start, end - start).c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
        struct stat status {};
        if (fd < 0 || fstat(fd, &status) != 0 || !S_ISFIFO(status.st_mode) || fcntl(fd, F_SETFL, O_RDWR) != 0) {
            close(fd);
            continue;
        }
        std::string number = std::to_string(fd);
        value.replace(at, end - at, "--jobserver-auth=" + number + "," + number);
    }
}

void find_inherited(HostFacts& facts) {
    std::array<pollfd, kHighestPipe + 1> candidates;
    for (size_t fd = 0; fd < candidates.size(); ++fd) {
        candidates[fd] = {static_cast<int>(fd), 0, 0};
    }
    poll(candidates.data(), candidates.size(), 0);  // one call tells which of them are open
    for (int fd = 3; fd <= kHighestPipe; ++fd) {
        struct stat status {};
        bool open = (candidates[static_cast<size_t>(fd)].revents & POLLNVAL) == 0;
        if (open && fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode)) {
            facts.inherited_pipes.push_back(fd);
        }
    }
    for (int fd = 0; fd < 3 && facts.terminal_device.empty(); ++fd) {
        if (isatty(fd) == 1) {
            facts.terminal_device = link_text("/proc/self/fd/" + std::to_string(fd));
        }
    }
}

int landlock_abi() {
    long abi = syscall(SYS_landlock_create_ruleset, nullptr, 0, kLandlockVersion);
    return abi > 0 ? static_cast<int>(abi) : 0;
}

/// Somebody else may have been quicker, or another user namespace's root: then the next name is the one where all
/// runs of this user meet.
std::string own_directory_in(const char* place, uid_t uid) {
    struct stat status {};
    std::string first = std::string(place) + "/sbx-" + std::to_string(uid);
    std::string directory = first;
    for (int next = 1; next <= kMostTaken && lstat(directory.c_str(), &status) == 0 &&
                       (!S_ISDIR(status.st_mode) || status.st_uid != uid || (status.st_mode & 077) != 0); ++next) {
        directory = first + "." + std::to_string(next);
    }
    return directory;
}

/// Not what XDG_RUNTIME_DIR says: two runs with different ones would not know of each other.
std::string live_directory(uid_t uid) {
    struct stat status {};
    std::string runtime = "/run/user/" + std::to_string(uid);
    if (lstat(runtime.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == uid &&
        (status.st_mode & 022) == 0) {
        return runtime + "/sbx";
    }
    return own_directory_in("/tmp", uid);
}

}  // namespace

Result<void> gather_platform_caller(HostFacts& facts) {
    facts.platform = Platform::Linux;
    facts.executable = link_text("/proc/self/exe");
    facts.live_dir = live_directory(facts.uid);
    facts.journal_dir = own_directory_in("/var/tmp", facts.uid);
    adopt_jobserver(facts);  // before: it is a pipe like those inherited then
    find_inherited(facts);
    facts.has_terminal = Fd(open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)).valid();
    find_bwrap(facts.linux_);
    auto noexec = small_file("/proc/sys/vm/memfd_noexec", 16);
    facts.linux_.memfd_exec_forbidden = noexec && noexec->rfind("2", 0) == 0;
    return {};
}

Result<void> gather_platform(const Policy& policy, HostFacts& facts) {
    SBX_CHECK(gather_system_paths(policy, facts));
    find_cgroups(policy, facts);
    if (facts.uid == 0) {
        for (const char* path : kRootsProc) {
            FileKind kind = kind_of(path);
            if (kind != FileKind::Missing) {
                facts.linux_.proc_hidden.push_back(std::string(path) + (kind == FileKind::Directory ? "/" : ""));
            }
        }
    }
    facts.linux_.landlock_abi = landlock_abi();
    return {};
}

}  // namespace sbx
