// What the host side and the guest image agree on. Plain C++: the guest's init includes it too.
#pragma once

namespace sbx::vm {

/// Where the image recipe puts the guest's own files.
constexpr const char* kGuestInit = "/sbx/init";
constexpr const char* kFirewallWeb = "/sbx/firewall-web.nft";
constexpr const char* kFirewallFiles = "/sbx/firewall-files.nft";

/// Below it, one read-only folder for each id of the files profile.
constexpr const char* kFilesRoot = "/files";

/// Variables that tell init what to do. A policy can set none of them.
constexpr const char* kVariablePrefix = "SANDBOX_";
constexpr const char* kProfileVariable = "SANDBOX_PROFILE";            ///< web (also when unset), files
constexpr const char* kBlockedVariable = "SANDBOX_BLOCKED_ADDRESSES";  ///< addresses, comma or space
constexpr const char* kInboundVariable = "SANDBOX_INBOUND_PORT";       ///< the one published port
constexpr const char* kHostsVariable = "SANDBOX_ALLOW_HOSTS";          ///< names, comma or space
constexpr const char* kSelftestVariable = "SANDBOX_SELFTEST";          ///< 1: arguments are probes

/// Who the command is inside the web and files profiles.
constexpr unsigned kGuestUser = 10001;

/// The only port that allowHosts opens.
constexpr unsigned kHttpsPort = 443;

/// In firewall-web.nft: everything after this line is left out when allowHosts names the hosts.
constexpr const char* kPublicMarker = "# public addresses";

/// Exit status of init when it refuses to start.
constexpr int kRefused = 125;

}  // namespace sbx::vm
