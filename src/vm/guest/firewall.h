// Makes the firewall of a profile out of its file and the settings, and hands it to nft.
#pragma once

#include "vm/guest/files.h"
#include "vm/guest/settings.h"

namespace sbx::guest {

/// The one transaction that puts the firewall up: the profile's file, then the refused addresses, the
/// exceptions for the name servers (which end up first of all) and the inbound rule for `gateway`
/// (nullptr when no port is published). With allowed hosts, the part of the file that lets every public
/// address through is left out. False when it does not fit or the file lacks its marker.
bool build_firewall(const char* file, const Settings& settings, const vm::Address* gateway, FileText& rules);

/// The transaction that opens port 443 of `addresses`, and refuses everything else at once.
bool build_host_rules(const AddressList& addresses, FileText& rules);

/// Resolves the allowed hosts. False, with the reason, when one has no address or one that is not
/// public: a name that answers with both is refused as a whole (T46).
bool resolve_hosts(const Settings& settings, AddressList& addresses, Message& problem);

/// Runs nft on `rules`. What nft has to say goes to stderr. False unless it succeeded.
bool load_rules(const char* rules);

/// Writes `nft list table inet sbx` to stdout. Needs the privileges that are dropped afterwards.
bool list_rules();

}  // namespace sbx::guest
