#include "vm/guest/selftest.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vm/guest/files.h"
#include "vm/guest/firewall.h"
#include "vm/render/guest.h"

namespace sbx::guest {
namespace {

constexpr int kConnectMs = 3000;
constexpr int kScanMs = 200;
constexpr int kScanBatch = 512;  // below the usual limit of open files
constexpr int kLastPort = 65535;
constexpr size_t kPage = 4096;
constexpr size_t kPiece = size_t{16} << 20;
constexpr const char* kStatusKeys[] = {
    "Uid:", "Gid:", "Groups:", "CapInh:", "CapPrm:", "CapEff:", "CapBnd:", "CapAmb:", "NoNewPrivs:"};

FileText file;

/// Nothing when it connected, else the reason.
const char* try_connect(const addrinfo* target, int timeout_ms) {
    int fd = socket(target->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        return strerror(errno);
    }
    int error = connect(fd, target->ai_addr, target->ai_addrlen) == 0 ? 0 : errno;
    if (error == EINPROGRESS) {
        pollfd waiting = {fd, POLLOUT, 0};
        socklen_t size = sizeof error;
        if (poll(&waiting, 1, timeout_ms) <= 0) {
            error = ETIMEDOUT;
        } else if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) {
            error = errno;
        }
    }
    close(fd);
    return error == 0 ? nullptr : strerror(error);
}

addrinfo* resolve(const char* host, const char* port) {
    char gateway_text[vm::kAddressText];
    if (strcmp(host, "gateway") == 0) {
        vm::Address gateway{};
        if (!read_file("/proc/net/route", file) || !read_gateway(file.data(), gateway)) {
            return nullptr;
        }
        vm::format_address(gateway, gateway_text);
        host = gateway_text;
    }
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    return getaddrinfo(host, port, &hints, &found) == 0 ? found : nullptr;
}

void probe_connect(char* argument) {
    char* port = strrchr(argument, ':');
    if (port == nullptr) {
        return;
    }
    *port++ = 0;
    addrinfo* targets = resolve(argument, port);
    const char* reason = "no address";
    for (const addrinfo* at = targets; at != nullptr && reason != nullptr; at = at->ai_next) {
        reason = try_connect(at, kConnectMs);
    }
    if (targets != nullptr) {
        freeaddrinfo(targets);
    }
    printf("connect %s:%s %s\n", argument, port, reason == nullptr ? "open" : reason);
}

/// Prints those of the `count` ports from `first` on that accept a connection. All are tried at once:
/// the kernel limits how many refusals it reports in a second.
void scan_ports(const addrinfo* host, int first, int count) {
    static pollfd attempts[kScanBatch];
    for (int i = 0; i < count; ++i) {
        sockaddr_storage target;
        memcpy(&target, host->ai_addr, host->ai_addrlen);
        // The port stands at the same place for both families.
        reinterpret_cast<sockaddr_in*>(&target)->sin_port = htons(static_cast<uint16_t>(first + i));
        int fd = socket(host->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        bool refused = fd >= 0 && connect(fd, reinterpret_cast<sockaddr*>(&target), host->ai_addrlen) != 0 &&
                       errno != EINPROGRESS;
        if (refused) {
            close(fd);
        }
        attempts[i] = {refused ? -1 : fd, POLLOUT, 0};
    }
    // Not until the first answer: what answers later must be seen too.
    poll(nullptr, 0, kScanMs);
    poll(attempts, static_cast<nfds_t>(count), 0);
    for (int i = 0; i < count; ++i) {
        int error = 0;
        socklen_t size = sizeof error;
        bool answered = attempts[i].fd >= 0 && (attempts[i].revents & POLLOUT) != 0;
        if (answered && getsockopt(attempts[i].fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0) {
            printf(" %d", first + i);
        }
        if (attempts[i].fd >= 0) {
            close(attempts[i].fd);
        }
    }
}

void probe_scan(const char* name) {
    addrinfo* host = resolve(name, "1");
    printf("scan %s", host == nullptr ? "no address" : name);
    for (int first = 1; host != nullptr && first <= kLastPort; first += kScanBatch) {
        int left = kLastPort - first + 1;
        scan_ports(host, first, left < kScanBatch ? left : kScanBatch);
    }
    printf("\n");
    if (host != nullptr) {
        freeaddrinfo(host);
    }
}

void probe_resolve(const char* name) {
    addrinfo* found = resolve(name, nullptr);
    printf("resolve %s %s\n", name, found == nullptr ? "no" : "yes");
    if (found != nullptr) {
        freeaddrinfo(found);
    }
}

void probe_write(const char* path) {
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    printf("write %s %s\n", path, fd >= 0 ? "written" : strerror(errno));
    close(fd);
}

void probe_read(const char* path) {
    if (read_file(path, file)) {
        printf("read %s %016llx\n", path, content_hash(file.data(), file.length()));
    } else {
        printf("read %s %s\n", path, strerror(errno));
    }
}

/// Touches every page, so that the memory is really there. In pieces: one request for more than the
/// machine has is refused at once, which would prove nothing.
[[noreturn]] void use_memory(size_t size) {
    for (size_t used = 0; used < size; used += kPiece) {
        char* memory = static_cast<char*>(
            mmap(nullptr, kPiece, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        if (memory == MAP_FAILED) {
            _exit(1);
        }
        for (size_t at = 0; at < kPiece; at += kPage) {
            memory[at] = 1;
        }
    }
    _exit(0);
}

/// The machine must outlive the child.
void probe_bomb(const char* bytes) {
    size_t size = strtoull(bytes, nullptr, 10);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        use_memory(size);
    }
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) != pid) {
        printf("bomb %s failed\n", bytes);
    } else if (WIFSIGNALED(status)) {
        printf("bomb %s killed\n", bytes);
    } else {
        printf("bomb %s %s\n", bytes, WEXITSTATUS(status) == 0 ? "survived" : "refused");
    }
}

bool argument_of(char* probe, const char* kind, char*& argument) {
    size_t length = strlen(kind);
    if (strncmp(probe, kind, length) != 0) {
        return false;
    }
    argument = probe + length;
    return true;
}

void report_identity() {
    if (!read_file("/proc/self/status", file)) {
        return;
    }
    for (const char* line = file.data(); *line != 0;) {
        size_t length = strcspn(line, "\n");
        for (const char* key : kStatusKeys) {
            if (strncmp(line, key, strlen(key)) == 0) {
                printf("status %.*s\n", static_cast<int>(length), line);
            }
        }
        line += length + (line[length] == '\n' ? 1 : 0);
    }
}

}  // namespace

unsigned long long content_hash(const char* bytes, size_t length) {
    unsigned long long hash = 0xcbf29ce484222325ULL;
    for (size_t i = 0; i < length; ++i) {
        hash = (hash ^ static_cast<unsigned char>(bytes[i])) * 0x100000001b3ULL;
    }
    return hash;
}

void report_root(const Settings& settings) {
    printf("firewall begin\n");
    fflush(stdout);
    bool listed = list_rules();
    printf("firewall %s\n", listed ? "end" : "missing");
    vm::Address gateway{};
    char text[vm::kAddressText];
    if (read_file("/proc/net/route", file) && read_gateway(file.data(), gateway)) {
        vm::format_address(gateway, text);
        printf("gateway %s\n", text);
    }
    for (int i = 0; i < settings.nameservers.count; ++i) {
        vm::format_address(settings.nameservers.items[i], text);
        printf("nameserver %s\n", text);
    }
    fflush(stdout);
}

int report_probes(int count, char** probes) {
    report_identity();
    for (int i = 0; i < count; ++i) {
        char* argument = nullptr;
        if (argument_of(probes[i], "connect:", argument)) {
            probe_connect(argument);
        } else if (argument_of(probes[i], "scan:", argument)) {
            probe_scan(argument);
        } else if (argument_of(probes[i], "resolve:", argument)) {
            probe_resolve(argument);
        } else if (argument_of(probes[i], "write:", argument)) {
            probe_write(argument);
        } else if (argument_of(probes[i], "read:", argument)) {
            probe_read(argument);
        } else if (argument_of(probes[i], "bomb:", argument)) {
            probe_bomb(argument);
        } else {
            return vm::kRefused;
        }
        fflush(stdout);
    }
    printf("done\n");
    fflush(stdout);
    return 0;
}

}  // namespace sbx::guest
