#include "linux/start/prelude.h"

#include <asm/unistd.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "linux/start/kernel.h"

namespace sbx::start {
namespace {

// Above what callers have open: shells and make go up to 255, and what stands there is looked for.
constexpr int kFloor = 256;

constinit Prelude state;  // nothing may initialise it later

bool begins(const char* text, const char* with) {
    while (*with != '\0') {
        if (*text++ != *with++) {
            return false;
        }
    }
    return true;
}

bool contains(const char* text, const char* part) {
    for (; *text != '\0'; ++text) {
        if (begins(text, part)) {
            return true;
        }
    }
    return false;
}

/// Only root can change it. Stricter than find_bwrap(), which comes later and must come to the same path.
bool is_roots(const char* path, mode_t type) {
    struct stat status;
    return kernel(__NR_newfstatat, AT_FDCWD, address(path), address(&status), AT_SYMLINK_NOFOLLOW) == 0 &&
           (status.st_mode & S_IFMT) == type && status.st_uid == 0 &&
           (status.st_mode & (S_ISUID | S_IWGRP | S_IWOTH)) == 0;
}

/// A run that will want something else: it starts its bwrap itself.
bool is_unusual(const char* argument) {
    return begins(argument, "--keep-fd") || begins(argument, "--dry-run") || begins(argument, "--help") ||
           begins(argument, "--backend") || begins(argument, "--folder") || contains(argument, "/dev/fd/");
}

bool is_usual_run(long argc, const char* const* argv, const char* const* variables) {
    if (argc < 3 || !begins(argv[1], "run") || argv[1][3] != '\0') {
        return false;
    }
    for (long i = 2; i < argc; ++i) {
        if (is_unusual(argv[i])) {
            return false;
        }
    }
    for (; *variables != nullptr; ++variables) {
        if (begins(*variables, "MAKEFLAGS=")) {
            return false;  // there may be a jobserver
        }
    }
    for (int fd = 0; fd < 3; ++fd) {
        if (kernel(__NR_fcntl, fd, F_GETFD) < 0) {
            return false;
        }
    }
    return is_roots("/usr/bin", S_IFDIR) && is_roots(kProgram, S_IFREG);
}

}  // namespace

Prelude& prelude() { return state; }

extern "C" void sbx_prelude(long* stack) {
    long argc = stack[0];
    const auto* argv = reinterpret_cast<const char* const*>(stack + 1);
    if (!is_usual_run(argc, argv, argv + argc + 1)) {
        return;
    }
    static const char* const kCommand[] = {kProgram, "--args", "10", "--", "/proc/self/fd/11", "12", "13", nullptr};
    static const int kData[kSpareData] = {17, 18, 19, 20};
    Request request;
    request.program = kProgram;
    request.argv = kCommand;
    request.arguments = kFirstNumber;
    request.inner_program = kFirstNumber + 1;
    request.inner_block = kFirstNumber + 2;
    request.socket = kFirstNumber + 3;
    for (int i = 0; i < 3; ++i) {
        request.stdio[i] = kFirstNumber + 4 + i;
    }
    request.data = kData;
    request.data_count = kSpareData;
    request.floor = kFloor;
    start_bwrap(request, state.started, state.data);
}

}  // namespace sbx::start
