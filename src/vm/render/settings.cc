#include "vm/render/settings.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "host/gather.h"
#include "policy/sha256.h"
#include "util/text.h"
#include "vm/render/address.h"

namespace sbx::vm {
namespace {

constexpr uint16_t kReservedPort = 4040;

bool only(std::string_view text, std::string_view allowed) {
    return text.find_first_not_of(allowed) == std::string_view::npos;
}

Error at(const Origin& origin, const char* code, const std::string& message, const std::string& hint = "") {
    std::string place = origin.kind == Origin::Kind::BuiltIn ? "" : origin.text() + ": ";
    return Error{code, place + message, hint};
}

std::optional<uint16_t> parse_port(std::string_view text) {
    uint16_t port = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (error != std::errc{} || end != text.data() + text.size() || port == 0) {
        return std::nullopt;
    }
    return port;
}

bool is_uuid(const std::string& id) {
    auto groups = split(id, '-');
    const size_t lengths[] = {8, 4, 4, 4, 12};
    if (groups.size() != 5) {
        return false;
    }
    for (size_t i = 0; i < 5; ++i) {
        if (groups[i].size() != lengths[i] || !only(groups[i], "0123456789abcdef")) {
            return false;
        }
    }
    return true;
}

Result<std::string> folder_source(const PathEntry& entry, const HostFacts& facts) {
    std::string path = expand_path(entry, facts);
    std::string shown = printable_line(path);
    auto found = facts.paths.find(path);
    if (found == facts.paths.end() || found->second.kind == FileKind::Missing) {
        return at(entry.origin, "not_found", shown + " does not exist");
    }
    if (found->second.is_link) {
        return at(entry.origin, "not_a_file", shown + " is a symbolic link",
                  "name the folder that it leads to");
    }
    if (found->second.kind != FileKind::Directory) {
        return at(entry.origin, "invalid_folder", shown + " is not a folder.");
    }
    if (found->second.resolved == "/") {
        return at(entry.origin, "invalid_folder", "Choose a specific folder rather than the whole disk.");
    }
    return found->second.resolved;
}

bool is_host_name(const std::string& name) {
    if (name.empty() || name.size() > 253 || name.front() == '-') {
        return false;
    }
    for (const auto& label : split(name, '.')) {
        bool fits = !label.empty() && label.size() <= 63 && label.front() != '-' && label.back() != '-';
        if (!fits || !only(lower(label), "abcdefghijklmnopqrstuvwxyz0123456789-_")) {
            return false;
        }
    }
    return true;
}

}  // namespace

std::string folder_id(const std::string& path) {
    // The same folder gets the same id in every run, so paths inside stay valid (UUID version 8).
    std::string hex = sha256_hex("sbx folder " + path);
    hex[12] = '8';
    hex[16] = "89ab"[std::string_view("0123456789abcdef").find(hex[16]) & 3];
    return hex.substr(0, 8) + "-" + hex.substr(8, 4) + "-" + hex.substr(12, 4) + "-" + hex.substr(16, 4) +
           "-" + hex.substr(20, 12);
}

Result<void> check_image(const Setting<std::string>& image) {
    const std::string& text = *image;
    if (text.empty()) {
        return Error{"image_missing", "the container backend needs an image",
                     "name it by digest: [vm] image = \"NAME@sha256:DIGEST\", or --image"};
    }
    size_t digest = text.find('@');
    bool pinned = digest != std::string::npos && digest > 0 && text.compare(digest, 8, "@sha256:") == 0 &&
                  text.size() == digest + 8 + 64 &&
                  only(std::string_view(text).substr(digest + 8), "0123456789abcdef");
    std::string_view name = std::string_view(text).substr(0, digest);
    bool clean = name.find_first_of("-/.:_") != 0 &&
                 only(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._/:");
    if (!pinned || !clean) {
        return at(image.origin, "image_not_pinned", "image must be pinned by digest: " + printable_line(text),
                  "write NAME@sha256:DIGEST; `container image inspect NAME` shows the digest of an image");
    }
    return {};
}

Result<std::optional<Publish>> parse_publish(const Setting<std::string>& publish) {
    const std::string& text = *publish;
    if (text.empty()) {
        return std::optional<Publish>();
    }
    constexpr const char* kForm = "write 127.0.0.1:HOSTPORT:GUESTPORT or [::1]:HOSTPORT:GUESTPORT";
    Publish parsed;
    for (const char* host : {"127.0.0.1", "[::1]"}) {
        if (text.rfind(std::string(host) + ":", 0) == 0) {
            parsed.host = host;
        }
    }
    if (parsed.host.empty()) {
        return at(publish.origin, "invalid_publish",
                  "vm.publish must name a loopback address, not " + printable_line(text), kForm);
    }
    auto ports = split(std::string_view(text).substr(parsed.host.size() + 1), ':');
    auto host_port = ports.size() == 2 ? parse_port(ports[0]) : std::nullopt;
    auto guest_port = ports.size() == 2 ? parse_port(ports[1]) : std::nullopt;
    if (!host_port || !guest_port) {
        return at(publish.origin, "invalid_publish", "vm.publish has no two ports: " + printable_line(text),
                  kForm);
    }
    if (*host_port == kReservedPort) {
        return at(publish.origin, "reserved_port", "Port 4040 is reserved and cannot be allowed in sandbox policy.",
                  "choose another port of the host");
    }
    parsed.host_port = *host_port;
    parsed.guest_port = *guest_port;
    return std::optional<Publish>(parsed);
}

Result<std::vector<GuestFolder>> plan_folders(const std::vector<VmFolder>& folders, const HostFacts& facts) {
    std::vector<GuestFolder> planned;
    std::set<std::string> ids;
    std::set<std::string> sources;
    for (const VmFolder& folder : folders) {
        GuestFolder next;
        SBX_ASSIGN(next.source, folder_source(folder.path, facts));
        next.named = !(*folder.id).empty();
        next.id = next.named ? *folder.id : folder_id(next.source);
        const Origin& origin = next.named ? folder.id.origin : folder.path.origin;
        if (!is_uuid(next.id)) {
            return at(origin, "invalid_folder",
                      "folder id " + printable_line(next.id) + " is not a lower-case UUID");
        }
        if (!ids.insert(next.id).second) {
            return at(origin, "invalid_folder", "folder id " + next.id + " is used twice");
        }
        // The tool shares a folder once, with the access that was named last.
        if (!sources.insert(next.source).second) {
            return at(origin, "invalid_folder", printable_line(next.source) + " is named twice");
        }
        planned.push_back(std::move(next));
    }
    return planned;
}

Result<std::vector<std::string>> plan_hosts(const std::vector<NameEntry>& hosts) {
    std::vector<std::string> planned;
    for (const NameEntry& entry : hosts) {
        std::string host = entry.text;
        std::string shown = "vm.allowHosts " + printable_line(host);
        Address address{};
        if (!parse_address(host.c_str(), address)) {
            size_t colon = host.rfind(':');
            if (colon != std::string::npos) {
                if (host.substr(colon + 1) != "443") {
                    return at(entry.origin, "invalid_host", shown + ": only https (port 443) can be reached");
                }
                host.resize(colon);
            }
            if (host.find('*') != std::string::npos) {
                return at(entry.origin, "invalid_host", shown + ": a pattern has no address to pin",
                          "name each host");
            }
        }
        if (parse_address(host.c_str(), address)) {
            if (!is_public(address)) {
                return at(entry.origin, "invalid_host", shown + ": not a public address");
            }
        } else if (!is_host_name(host)) {
            return at(entry.origin, "invalid_host", shown + ": not a host name");
        }
        planned.push_back(host);
    }
    return planned;
}

Result<std::vector<std::string>> plan_addresses(const std::vector<NameEntry>& entries, const char* key) {
    std::vector<std::string> planned;
    for (const NameEntry& entry : entries) {
        Address address{};
        if (!parse_address(entry.text.c_str(), address)) {
            return at(entry.origin, "invalid_address",
                      std::string(key) + " " + printable_line(entry.text) + " is not an IP address");
        }
        planned.push_back(entry.text);
    }
    return planned;
}

Result<void> check_profile(const Plan& plan) {
    const VmPolicy& vm = plan.vm;
    VmProfile profile = *vm.profile;
    auto reject = [&](bool present, const char* key, const char* profile_name) -> Result<void> {
        if (!present) {
            return {};
        }
        return Error{"vm_profile", std::string(key) + " needs [vm] profile = \"" + profile_name + "\"", ""};
    };
    SBX_CHECK(reject(profile != VmProfile::Files && !vm.folders.empty(), "vm.folders", "files"));
    SBX_CHECK(reject(profile != VmProfile::Web && !vm.allow_hosts.empty(), "vm.allowHosts", "web"));
    SBX_CHECK(reject(profile != VmProfile::Web && !vm.dns.empty(), "vm.dns", "web"));
    SBX_CHECK(reject(profile == VmProfile::None && !(*vm.publish).empty(), "vm.publish", "web"));
    SBX_CHECK(
        reject(profile == VmProfile::None && !vm.blocked_addresses.empty(), "vm.blockedAddresses", "web"));
    bool network = plan.network.mode == NetworkMode::On;
    if (profile == VmProfile::Web && !network) {
        return at(plan.network.origin, "vm_profile", "profile web has a network and the policy has it off",
                  "sandbox.network = \"on\" goes with it, as `--profile web` says");
    }
    if (profile == VmProfile::Files && network) {
        return at(plan.network.origin, "vm_profile", "profile files has no network and the policy has it on",
                  "sandbox.network = \"off\" goes with it, as `--profile files` says");
    }
    if (profile == VmProfile::None && network) {
        return at(plan.network.origin, "vm_profile",
                  "the container backend has a network in profile web only, where the guest's firewall keeps "
                  "the host and the local network out",
                  "[vm] profile = \"web\", or sandbox.network = \"off\"");
    }
    return {};
}

}  // namespace sbx::vm
