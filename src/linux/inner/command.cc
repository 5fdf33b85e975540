#include "linux/inner/command.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sbx::inner {
namespace {

const char* variable(char** environment, const char* name) {
    size_t length = strlen(name);
    for (; *environment != nullptr; ++environment) {
        if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=') {
            return *environment + length + 1;
        }
    }
    return nullptr;
}

void restore_signals(const BlockView& block) {
    for (int signal_number = 1; signal_number <= 64; ++signal_number) {
        if (signal_number == SIGKILL || signal_number == SIGSTOP) {
            continue;
        }
        bool ignored = (block.header->ignored_signals >> (signal_number - 1) & 1) != 0;
        signal(signal_number, ignored ? SIG_IGN : SIG_DFL);
    }
    // The C library keeps signals 32 to 34 for itself and would drop them from the caller's mask.
    uint64_t mask = block.header->signal_mask;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, nullptr, sizeof mask);
}

bool apply_limits(const BlockView& block) {
    for (uint32_t i = 0; i < block.header->limit_count; ++i) {
        const wire::BlockLimit& wanted = block.limits[i];
        struct rlimit current;
        if (getrlimit(static_cast<int>(wanted.resource), &current) != 0) {
            return false;
        }
        // A limit only ever tightens what the caller already had.
        rlim_t value = wanted.value < current.rlim_max ? wanted.value : current.rlim_max;
        struct rlimit next = {value, value};
        if (setrlimit(static_cast<int>(wanted.resource), &next) != 0) {
            return false;
        }
    }
    return true;
}

/// The interpreter that `#!` or an ELF header names, when the file itself exists but execve said
/// ENOENT: "not found" would send the user looking for the wrong file. An interpreter that is there is a
/// script itself, whose own one is missing. A carriage return belongs to the name, as for the kernel.
void find_interpreter(const char* path, char* name, size_t size) {
    constexpr int kMostScripts = 5;  // the kernel follows no more
    for (int depth = 0; depth < kMostScripts; ++depth) {
        char head[256];
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t length = fd < 0 ? -1 : read(fd, head, sizeof head - 1);
        close(fd);
        if (length < 3) {
            return;
        }
        head[length] = 0;
        if (memcmp(head, "\177ELF", 4) == 0) {
            strncpy(name, "the program's dynamic loader", size - 1);
            return;
        }
        if (head[0] != '#' || head[1] != '!') {
            return;
        }
        char* start = head + 2;
        start += strspn(start, " \t");
        start[strcspn(start, " \t\n")] = 0;
        strncpy(name, start, size - 1);
        if (access(name, F_OK) != 0) {
            return;
        }
        path = name;
    }
}

bool is_binary(const char* path) {
    char head[4] = {};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool binary = fd >= 0 && read(fd, head, sizeof head) > 0 && memcmp(head, "\177ELF", 4) == 0;
    close(fd);
    return binary;
}

/// execve, with the shell for a text that has no `#!`, as execvp(3) and shells do; a program for another
/// machine is no text.
int execute(const char* path, const BlockView& block) {
    execve(path, block.argv, block.environment);
    int error = errno;
    if (error != ENOEXEC || is_binary(path)) {
        return error;
    }
    size_t count = block.header->argument_count;
    char** argv = static_cast<char**>(malloc((count + 2) * sizeof(char*)));
    if (argv == nullptr) {
        return ENOMEM;
    }
    argv[0] = const_cast<char*>("sh");
    argv[1] = const_cast<char*>(path);
    for (size_t i = 1; i <= count; ++i) {
        argv[i + 1] = block.argv[i];
    }
    execve("/bin/sh", argv, block.environment);
    return ENOEXEC;
}

int execute_through_path(const BlockView& block, char* interpreter, size_t size) {
    const char* name = block.argv[0];
    auto attempt = [&](const char* path) {
        int error = execute(path, block);
        if ((error == ENOENT || error == ENOTDIR) && access(path, F_OK) == 0) {
            find_interpreter(path, interpreter, size);
        }
        return error;
    };
    if (strchr(name, '/') != nullptr) {
        return attempt(name);
    }
    if (*name == 0) {
        return ENOENT;
    }
    const char* path = variable(block.environment, "PATH");
    if (path == nullptr) {
        path = "/usr/local/bin:/usr/bin:/bin";
    }
    int worst = ENOENT;
    static char candidate[PATH_MAX];
    for (;;) {
        size_t length = strcspn(path, ":");
        if (length + strlen(name) + 2 <= sizeof candidate) {
            memcpy(candidate, path, length);
            candidate[length] = length > 0 ? '/' : 0;
            strcpy(candidate + (length > 0 ? length + 1 : 0), name);
            int error = attempt(candidate);
            if (interpreter[0] != 0) {
                return error;
            }
            if (error != ENOENT && error != ENOTDIR) {
                worst = error;
                if (error != EACCES) {
                    return error;
                }
            }
        }
        if (path[length] == 0) {
            return worst;
        }
        path += length + 1;
    }
}

/// Runs in the memory of the parent, which waits: what it writes to `failure`, the parent reads.
[[noreturn]] void child(const BlockView& block, StartFailure& failure) {
    auto give_up = [&](const char* step) {
        failure.error = errno;
        strncpy(failure.text, step, sizeof failure.text - 1);
        _exit(127);
    };
    if (chdir(block.cwd) != 0) {
        give_up("chdir to the working directory");
    }
    umask(static_cast<mode_t>(block.header->umask));
    if (!apply_limits(block)) {
        give_up("resource limits");
    }
    restore_signals(block);
    int error = execute_through_path(block, failure.text, sizeof failure.text);
    failure.executing = true;
    failure.error = error;
    _exit(127);
}

}  // namespace

pid_t start_command(const BlockView& block, StartFailure& failure) {
    // vfork: no page of this process is copied, and the kernel tells when execve has succeeded.
    pid_t pid = vfork();
    if (pid == 0) {
        child(block, failure);
    }
    if (pid < 0) {
        failure.error = errno;
        strcpy(failure.text, "fork");
        return -1;
    }
    if (failure.error == 0) {
        return pid;
    }
    waitpid(pid, nullptr, 0);
    return -1;
}

}  // namespace sbx::inner
