#include "vm/guest/firewall.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vm/render/guest.h"

namespace sbx::guest {
namespace {

constexpr const char* kNft = "/usr/sbin/nft";
constexpr const char* kDnsProtocols[] = {" tcp", " udp"};

void add_address(FileText& rules, const vm::Address& address, const char* direction) {
    vm::Address plain = vm::unmapped(address);
    char text[vm::kAddressText];
    vm::format_address(plain, text);
    rules.add(plain.v6 ? "ip6 " : "ip ");
    rules.add(direction);
    rules.add(" ");
    rules.add(text);
}

/// Starts nft with `arguments`; `input` becomes its stdin. It gets no environment.
pid_t start_nft(const char* const* arguments, int input) {
    pid_t pid = fork();
    if (pid != 0) {
        return pid;
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    signal(SIGPIPE, SIG_DFL);
    char* const no_environment[] = {nullptr};
    if (input >= 0 && dup2(input, 0) < 0) {
        _exit(127);
    }
    execve(kNft, const_cast<char* const*>(arguments), no_environment);
    const char* reason = strerror(errno);
    Message message;
    message.add("sbx: ");
    message.add(kNft);
    message.add(": ");
    message.add(reason);
    message.add("\n");
    (void)!write(2, message.data(), message.length());
    _exit(127);
}

bool succeeded(pid_t pid) {
    int status = 0;
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) {
            return false;
        }
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool write_whole(int fd, const char* text) {
    for (size_t left = strlen(text); left > 0;) {
        ssize_t written = write(fd, text, left);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        if (written > 0) {
            text += written;
            left -= static_cast<size_t>(written);
        }
    }
    return true;
}

bool host_problem(Message& problem, const char* host, const char* what) {
    problem.clear();
    problem.add("allowed host ");
    problem.add(host);
    problem.add(what);
    problem.add("; refusing to start");
    return false;
}

vm::Address from_socket(const sockaddr* socket_address) {
    vm::Address address{};
    if (socket_address->sa_family == AF_INET6) {
        address.v6 = true;
        memcpy(address.bytes, &reinterpret_cast<const sockaddr_in6*>(socket_address)->sin6_addr, 16);
    } else {
        memcpy(address.bytes, &reinterpret_cast<const sockaddr_in*>(socket_address)->sin_addr, 4);
    }
    return address;
}

}  // namespace

bool build_firewall(const char* file, const Settings& settings, const vm::Address* gateway, FileText& rules) {
    rules.clear();
    rules.add(file);
    if (settings.profile == Profile::Web) {
        const char* open = strstr(file, vm::kPublicMarker);
        if (open == nullptr) {
            return false;
        }
        if (settings.host_count > 0) {
            rules.cut(static_cast<size_t>(open - file));
        }
    }
    rules.add("\n");
    for (int i = 0; i < settings.blocked.count; ++i) {
        rules.add("insert rule inet sbx output ");
        add_address(rules, settings.blocked.items[i], "daddr");
        rules.add(" reject with icmpx admin-prohibited\n");
    }
    // Inserted last, so first in the chain: the name server usually is an address of the host, which is
    // refused for everything else.
    for (int i = 0; i < settings.nameservers.count; ++i) {
        for (const char* protocol : kDnsProtocols) {
            rules.add("insert rule inet sbx output ");
            add_address(rules, settings.nameservers.items[i], "daddr");
            rules.add(protocol);
            rules.add(" dport 53 accept\n");
        }
    }
    if (gateway != nullptr) {
        rules.add("add rule inet sbx input ");
        add_address(rules, *gateway, "saddr");
        rules.add(" tcp dport ");
        rules.add_number(settings.inbound_port);
        rules.add(" accept\n");
    }
    return !rules.full();
}

bool build_host_rules(const AddressList& addresses, FileText& rules) {
    rules.clear();
    for (int i = 0; i < addresses.count; ++i) {
        rules.add("add rule inet sbx output ");
        add_address(rules, addresses.items[i], "daddr");
        rules.add(" tcp dport ");
        rules.add_number(vm::kHttpsPort);
        rules.add(" accept\n");
    }
    rules.add("add rule inet sbx output reject with icmpx admin-prohibited\n");
    return !rules.full();
}

bool resolve_hosts(const Settings& settings, AddressList& addresses, Message& problem) {
    for (int i = 0; i < settings.host_count; ++i) {
        const char* host = settings.hosts[i];
        addrinfo hints{};
        hints.ai_socktype = SOCK_STREAM;
        addrinfo* found = nullptr;
        if (getaddrinfo(host, nullptr, &hints, &found) != 0 || found == nullptr) {
            return host_problem(problem, host, " has no address");
        }
        for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
            if (at->ai_family != AF_INET && at->ai_family != AF_INET6) {
                continue;
            }
            vm::Address address = from_socket(at->ai_addr);
            if (!vm::is_public(address)) {
                freeaddrinfo(found);
                return host_problem(problem, host, " leads to an address that is not public");
            }
            if (addresses.count == kMaxAddresses) {
                freeaddrinfo(found);
                return host_problem(problem, host, " is one address too many");
            }
            addresses.items[addresses.count++] = address;
        }
        freeaddrinfo(found);
    }
    return addresses.count > 0;
}

bool load_rules(const char* rules) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return false;
    }
    const char* const arguments[] = {"nft", "-f", "-", nullptr};
    // nft may die before it has read everything; its status tells, SIGPIPE must not.
    signal(SIGPIPE, SIG_IGN);
    pid_t pid = start_nft(arguments, ends[0]);
    close(ends[0]);
    bool written = pid > 0 && write_whole(ends[1], rules);
    close(ends[1]);
    bool loaded = pid > 0 && succeeded(pid);
    signal(SIGPIPE, SIG_DFL);
    return written && loaded;
}

bool list_rules() {
    const char* const arguments[] = {"nft", "list", "table", "inet", "sbx", nullptr};
    pid_t pid = start_nft(arguments, -1);
    return pid > 0 && succeeded(pid);
}

}  // namespace sbx::guest
