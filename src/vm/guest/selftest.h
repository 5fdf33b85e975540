// What `sbx selftest` asks the guest: facts and attempts, judged on the host (vm/render/report.h).
#pragma once

#include "vm/guest/settings.h"

namespace sbx::guest {

/// Before the privileges go: the firewall as nft lists it between two marker lines, the gateway and
/// the name servers.
void report_root(const Settings& settings);

/// After: who this process is, then one line for each probe:
///
///   connect:HOST:PORT   connect to every address of HOST ("gateway": the default gateway)
///   scan:HOST           every TCP port of HOST
///   resolve:NAME        ask the name servers
///   write:PATH          create a file
///   read:PATH           a hash of the content
///   bomb:BYTES          a child that uses BYTES of memory
///
/// Returns 0; 125 for a probe that it does not know.
int report_probes(int count, char** probes);

/// FNV-1a, 64 bits: enough to tell whether two files are the same one.
unsigned long long content_hash(const char* bytes, size_t length);

}  // namespace sbx::guest
