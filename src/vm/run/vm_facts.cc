#include "vm/run/vm_facts.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>

#include "vm/render/address.h"
#include "vm/run/tool.h"

namespace sbx {
namespace {

// Fixed places: a hostile PATH must not choose the program that isolates.
constexpr const char* kPlaces[] = {"/usr/local/bin/container", "/opt/homebrew/bin/container"};

constexpr int kAnswerMs = 10'000;

bool is_loopback(const vm::Address& address) {
    if (!address.v6) {
        return address.bytes[0] == 127;
    }
    return std::all_of(address.bytes, address.bytes + 15, [](uint8_t byte) { return byte == 0; });
}

/// Valid on one cable only, and the same text can stand for many machines.
bool is_link_local6(const vm::Address& address) {
    return address.v6 && address.bytes[0] == 0xfe && (address.bytes[1] & 0xc0) == 0x80;
}

}  // namespace

void gather_vm_facts(VmFacts& facts) {
    for (const char* place : kPlaces) {
        if (access(place, X_OK) == 0) {
            facts.container = place;
            break;
        }
    }
    facts.host_addresses.clear();
    ifaddrs* list = nullptr;
    if (getifaddrs(&list) != 0) {
        return;
    }
    for (const ifaddrs* at = list; at != nullptr; at = at->ifa_next) {
        char text[INET6_ADDRSTRLEN] = "";
        if (at->ifa_addr != nullptr && at->ifa_addr->sa_family == AF_INET) {
            inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(at->ifa_addr)->sin_addr, text,
                      sizeof text);
        } else if (at->ifa_addr != nullptr && at->ifa_addr->sa_family == AF_INET6) {
            inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(at->ifa_addr)->sin6_addr, text,
                      sizeof text);
        }
        vm::Address address{};
        if (vm::parse_address(text, address) && !is_loopback(address) && !is_link_local6(address)) {
            facts.host_addresses.emplace_back(text);
        }
    }
    freeifaddrs(list);
    auto& all = facts.host_addresses;
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
}

void probe_container_version(HostFacts& facts) {
    if (facts.vm.container.empty()) {
        return;
    }
    auto answer = vm::ask_tool({facts.vm.container, "--version"}, vm::tool_environment(facts, {}), kAnswerMs);
    facts.vm.version = answer && answer->status == 0 ? vm::parse_version(answer->output) : "";
}

}  // namespace sbx
