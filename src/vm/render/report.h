// What `sbx selftest` asks a guest, and what it makes of the answers. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vm/render/firewall_shape.h"

namespace sbx::vm {

struct Check {
    enum class State { Ok, Fail, Note };
    State state = State::Ok;
    std::string text;
};

struct SelftestCase {
    VmProfile profile = VmProfile::Web;
    std::vector<std::string> host_addresses;  ///< of this machine: each must be refused
    std::string public_host = "example.com";  ///< must be reached on 443; "": not tried
    bool hosts_only = false;
    std::string folder_id;     ///< files: a folder with sample.txt and a link to /etc/passwd
    std::string sample_hash;   ///< of sample.txt, as probe_hash() makes it
    std::string passwd_hash;   ///< of this machine's /etc/passwd
    bool same_root = false;    ///< tests: the guest's /etc/passwd may be this machine's
    int64_t bomb_bytes = 0;    ///< more memory than the guest has; 0: not tried
    bool scan_gateway = true;  ///< all 65,535 ports
};

/// The arguments for the guest's init (see vm/guest/selftest.h).
std::vector<std::string> selftest_probes(const SelftestCase& test);

/// One check for each promise. An answer that is missing is a failure.
std::vector<Check> judge_report(const SelftestCase& test, std::string_view report);

/// The hash that the guest prints for a file's content.
std::string probe_hash(std::string_view content);

/// "  ok    TEXT", "  FAIL  TEXT", "  note  TEXT".
std::string check_line(const Check& check);

/// "all sandbox checks passed", or "N check(s) failed".
std::string summary_line(const std::vector<Check>& checks);

}  // namespace sbx::vm
