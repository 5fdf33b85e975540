#include "policy/vm_rules.h"

#include <arpa/inet.h>

#include <charconv>
#include <optional>
#include <set>

#include "policy/values.h"
#include "util/text.h"

namespace sbx {
namespace {

bool is_hex(std::string_view text) {
    for (char c : text) {
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) {
            return false;
        }
    }
    return !text.empty();
}

/// 8-4-4-4-12 lower-case hexadecimal digits.
bool is_folder_id(const std::string& id) {
    std::vector<std::string> groups = split(id, '-');
    const size_t lengths[] = {8, 4, 4, 4, 12};
    if (groups.size() != 5) {
        return false;
    }
    for (size_t i = 0; i < 5; ++i) {
        if (groups[i].size() != lengths[i] || !is_hex(groups[i])) {
            return false;
        }
    }
    return true;
}

bool is_pinned(const std::string& image) {
    constexpr std::string_view kMark = "@sha256:";
    size_t at = image.find(kMark);
    return at != std::string::npos && at > 0 && image.size() == at + kMark.size() + 64 &&
           is_hex(std::string_view(image).substr(at + kMark.size()));
}

std::optional<int> number(std::string_view text, int low, int high) {
    int value = 0;
    auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    bool whole = status == std::errc() && rest == text.data() + text.size();
    return whole && value >= low && value <= high ? std::optional<int>(value) : std::nullopt;
}

bool is_address(const std::string& text) {
    unsigned char bytes[16];
    return inet_pton(AF_INET, text.c_str(), bytes) == 1 || inet_pton(AF_INET6, text.c_str(), bytes) == 1;
}

bool is_host_name(const std::string& text) {
    bool good = !text.empty() && text.size() <= 253 && !is_address(text);
    for (const std::string& label : split(text, '.')) {
        good = good && !label.empty() && label.size() <= 63 && label.front() != '-' && label.back() != '-';
        for (char c : label) {
            good = good && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-');
        }
    }
    return good;
}

/// 127.0.0.1:HOST:GUEST: nothing but this machine may knock (P153).
bool is_publish(const std::string& text) {
    std::vector<std::string> parts = split(text, ':');
    return parts.size() == 3 && parts[0] == "127.0.0.1" && number(parts[1], 1, 65535) && number(parts[2], 1, 65535);
}

}  // namespace

int published_port(std::string_view publish) {
    std::vector<std::string> parts = split(publish, ':');
    return parts.size() < 2 ? 0 : number(parts[parts.size() - 2], 1, 65535).value_or(0);
}

void check_vm_values(LoadedPolicy& loaded) {
    const VmPolicy& vm = loaded.policy.vm;
    auto wrong = [&](const Origin& origin, std::string code, std::string message, std::string hint) {
        loaded.errors.push_back({std::move(code), origin, std::move(message), std::move(hint), ""});
    };
    if (!vm.image.value.empty() && !is_pinned(vm.image.value)) {
        wrong(vm.image.origin, "invalid_value", "image must be pinned by digest", "write NAME@sha256:<64 hex digits>");
    }
    if (!vm.publish.value.empty() && !is_publish(vm.publish.value)) {
        wrong(vm.publish.origin, "invalid_value", "vm.publish must be 127.0.0.1:HOSTPORT:GUESTPORT", "");
    }
    std::set<std::string> ids;
    for (const VmFolder& folder : vm.folders) {
        const std::string& id = folder.id.value;
        if (id.empty()) {
            continue;
        }
        if (!is_folder_id(id)) {
            wrong(folder.id.origin, "invalid_folder", "a folder's id must be a lower-case UUID",
                  "leave it out and sbx makes one");
        } else if (!ids.insert(id).second) {
            wrong(folder.id.origin, "invalid_folder", "two folders have the id " + id, "");
        }
    }
    for (const NameEntry& entry : vm.blocked_addresses) {
        if (!is_address(entry.text)) {
            wrong(entry.origin, "invalid_value", "\"" + printable_line(entry.text) + "\" is not an address",
                  "name each address; private ranges are refused as a whole without being named");
        }
    }
    for (const NameEntry& entry : vm.dns) {
        if (!is_address(entry.text)) {
            wrong(entry.origin, "invalid_value", "\"" + printable_line(entry.text) + "\" is not an address", "");
        }
    }
    for (const NameEntry& entry : vm.allow_hosts) {
        if (!is_host_name(entry.text)) {
            wrong(entry.origin, "invalid_value", "\"" + printable_line(entry.text) + "\" is not a host name", "");
        }
    }
}

void check_vm_profile(LoadedPolicy& loaded) {
    const VmPolicy& vm = loaded.policy.vm;
    auto wrong = [&](const Origin& origin, std::string message) {
        loaded.errors.push_back({"unknown_key", origin, std::move(message), "", ""});
    };
    if (vm.profile.value != VmProfile::Files && !vm.folders.empty()) {
        wrong(vm.folders.front().path.origin, "vm.folders needs vm.profile = \"files\"");
    }
    bool hosts = !vm.allow_hosts.empty();
    if (vm.profile.value == VmProfile::Files && (hosts || !vm.dns.empty())) {
        wrong(hosts ? vm.allow_hosts.front().origin : vm.dns.front().origin,
              std::string(hosts ? "vm.allowHosts" : "vm.dns") + " does not exist in the files profile: it has no network");
    } else if (hosts && vm.profile.value != VmProfile::Web) {
        wrong(vm.allow_hosts.front().origin, "allowHosts needs backend container and vm.profile = \"web\"");
    }
}

}  // namespace sbx
