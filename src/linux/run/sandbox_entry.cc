#include "linux/run/sandbox_entry.h"

#include <fcntl.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <string>

namespace sbx {
namespace {

constexpr size_t kStackSize = size_t{512} << 10;

Error failure(const char* what) {
    return Error{"setup_failed", std::string("entering the sandbox: ") + what + ": " + std::strerror(errno),
                 "see sbx doctor"};
}

struct Visit {
    int users;
    int mounts;
    const std::function<Result<void>()>& work;
    std::optional<Error> error;
    bool finished = false;
};

int visit(void* argument) {
    Visit& visit = *static_cast<Visit*>(argument);
    if (setns(visit.users, CLONE_NEWUSER) != 0) {
        visit.error = failure("user namespace");
    } else if (setns(visit.mounts, CLONE_NEWNS) != 0) {
        visit.error = failure("mount namespace");
    } else if (auto done = visit.work(); !done.ok()) {
        visit.error = done.error();
    }
    visit.finished = true;
    _exit(0);
}

}  // namespace

Result<SandboxEntry> SandboxEntry::open(pid_t pid) {
    SandboxEntry entry;
    std::string path = "/proc/" + std::to_string(pid) + "/ns/mnt";
    entry.mounts_.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!entry.mounts_.valid()) {
        return failure(path.c_str());
    }
    // --disable-userns and --dev make bwrap enter a second user namespace; the mounts stay with the first.
    entry.users_.reset(ioctl(entry.mounts_.get(), NS_GET_USERNS));
    if (!entry.users_.valid()) {
        return failure("NS_GET_USERNS");
    }
    fcntl(entry.users_.get(), F_SETFD, FD_CLOEXEC);
    return entry;
}

Result<void> SandboxEntry::run(const std::function<Result<void>()>& work) const {
    void* stack = mmap(nullptr, kStackSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED) {
        return failure("stack");
    }
    Visit context{users_.get(), mounts_.get(), work, std::nullopt};
    int dumpable = prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
    // Sharing the memory makes this cheaper than a fork, and lets the work report in plain C++.
    pid_t pid = clone(visit, static_cast<char*>(stack) + kStackSize, CLONE_VM | CLONE_VFORK | CLONE_FILES | SIGCHLD,
                      &context);
    int clone_error = errno;
    if (pid > 0) {
        waitpid(pid, nullptr, 0);
    }
    munmap(stack, kStackSize);
    // Gaining capabilities made the shared memory undumpable, which also hides /proc/self from its owner.
    if (dumpable == 1) {
        prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    }
    if (pid < 0) {
        errno = clone_error;
        return failure("clone");
    }
    if (!context.finished) {
        return Error{"setup_failed", "entering the sandbox: the helper process was killed", ""};
    }
    if (context.error) {
        return *context.error;
    }
    return {};
}

}  // namespace sbx
