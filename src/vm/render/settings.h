// What [vm] says, checked: the rules that hold whether or not there is an Apple tool. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/facts.h"
#include "plan/plan.h"
#include "util/result.h"

namespace sbx::vm {

/// The one inbound port.
struct Publish {
    std::string host;  ///< "127.0.0.1" or "[::1]"
    uint16_t host_port = 0;
    uint16_t guest_port = 0;
};

/// A folder of the files profile.
struct GuestFolder {
    std::string id;      ///< lower-case UUID; made from the path when the policy names none
    std::string source;  ///< canonical
    bool named = false;  ///< the policy gave the id
};

/// `name@sha256:<64 hex>`, so that what runs is what was looked at. Errors: "image_missing",
/// "image_not_pinned" ("image must be pinned by digest").
Result<void> check_image(const Setting<std::string>& image);

/// "127.0.0.1:HOST:GUEST"; nothing when it is empty. Errors: "invalid_publish", "reserved_port".
Result<std::optional<Publish>> parse_publish(const Setting<std::string>& publish);

/// The id that the folder `path` (canonical) gets when the policy names none.
std::string folder_id(const std::string& path);

/// The folders of the files profile, none twice. Errors: "invalid_folder", "not_found", "not_a_file",
/// "folder_unreadable".
Result<std::vector<GuestFolder>> plan_folders(const std::vector<VmFolder>& folders, const HostFacts& facts);

/// The hosts of allowHosts without their ports: names or public addresses, https only. Error: "invalid_host".
Result<std::vector<std::string>> plan_hosts(const std::vector<NameEntry>& hosts);

/// Numeric addresses, as they were written. Error: "invalid_address", which names `key`.
Result<std::vector<std::string>> plan_addresses(const std::vector<NameEntry>& entries, const char* key);

/// Keys of one profile are unknown in the other (T68), and the network must be what the profile has.
/// Error: "vm_profile".
Result<void> check_profile(const Plan& plan);

}  // namespace sbx::vm
