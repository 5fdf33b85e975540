#include "linux/inner/signals.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

namespace sbx::inner {

bool has_default_action(int process, int number) {
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/status", process);
    static char text[16384];  // the list of groups comes first and may be long
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    close(fd);
    if (length <= 0) {
        return false;
    }
    text[length] = 0;
    const char* const lines[] = {"\nSigBlk:", "\nSigIgn:", "\nSigCgt:"};
    for (const char* name : lines) {
        const char* line = strstr(text, name);
        if (line == nullptr || (strtoull(line + strlen(name), nullptr, 16) >> (number - 1) & 1) != 0) {
            return false;
        }
    }
    return true;
}

}  // namespace sbx::inner
