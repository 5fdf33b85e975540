#include "linux/inner/freeze.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

namespace sbx::inner {
namespace {

constexpr int kRounds = 4000;             // of kPause each: 2 seconds
constexpr int kPatientRounds = 40;        // after these, a process in the kernel's "D" state counts as stopped
constexpr long kPauseNs = 500 * 1000;

int number_of(const char* name) {
    int value = 0;
    for (; *name >= '0' && *name <= '9'; ++name) {
        value = value * 10 + (*name - '0');
    }
    return *name == 0 ? value : 0;
}

/// Calls `visit` for each numeric entry of `path`. False when the directory cannot be read.
template <typename Visit>
bool for_each_number(const char* path, Visit visit) {
    DIR* directory = opendir(path);
    if (directory == nullptr) {
        return false;
    }
    while (dirent* entry = readdir(directory)) {
        int number = number_of(entry->d_name);
        if (number > 0) {
            visit(number);
        }
    }
    closedir(directory);
    return true;
}

/// State letter of one thread; 'X' when it is gone.
char state_of(int process, int thread) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", process, thread);
    char text[512];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    close(fd);
    if (length <= 0) {
        return 'X';
    }
    text[length] = 0;
    // The name in parentheses may hold anything, also ") T".
    char* name_end = strrchr(text, ')');
    return name_end == nullptr || name_end[1] != ' ' ? 'R' : name_end[2];
}

int count_running(bool patient) {
    int running = 0;
    int self = getpid();
    bool readable = for_each_number("/proc", [&](int process) {
        if (process == self) {
            return;
        }
        char path[64];
        snprintf(path, sizeof path, "/proc/%d/task", process);
        for_each_number(path, [&](int thread) {
            char state = state_of(process, thread);
            bool stopped = strchr("TtZXx", state) != nullptr || (state == 'D' && !patient);
            running += stopped ? 0 : 1;
        });
    });
    return readable ? running : 1;
}

/// False with a /proc from outside (sandbox.nested = "weaker"), which shows other processes' numbers.
bool own_proc() {
    char text[16];
    ssize_t length = readlink("/proc/self", text, sizeof text - 1);
    return length > 0 && (text[length] = 0, number_of(text) == getpid());
}

int descending(const void* a, const void* b) { return *static_cast<const int*>(b) - *static_cast<const int*>(a); }

}  // namespace

int freeze_everything() {
    int running = 0;
    bool visible = own_proc();
    for (int round = 0; round < kRounds; ++round) {
        // One call for all of them: a fork that is under way either fails and is repeated after the
        // stop, or has made its child before, which then is stopped too. Repeated, because the kernel
        // continues stopped groups that lose their last parent.
        kill(-1, SIGSTOP);
        running = visible ? count_running(round < kPatientRounds) : (round < kPatientRounds ? 1 : 0);
        if (running == 0) {
            return 0;
        }
        timespec pause{0, kPauseNs};
        nanosleep(&pause, nullptr);
    }
    return running;
}

void thaw_everything() {
    constexpr size_t kMost = 4096;
    static int processes[kMost];
    size_t count = 0;
    int self = getpid();
    if (own_proc()) {
        for_each_number("/proc", [&](int process) {
            if (process != self && count < kMost) {
                processes[count++] = process;
            }
        });
    }
    qsort(processes, count, sizeof processes[0], descending);
    for (size_t i = 0; i < count; ++i) {
        kill(processes[i], SIGCONT);
    }
    kill(-1, SIGCONT);
}

}  // namespace sbx::inner
