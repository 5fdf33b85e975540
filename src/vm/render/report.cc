#include "vm/render/report.h"

#include <algorithm>
#include <cstdio>

#include "util/text.h"
#include "vm/render/guest.h"

namespace sbx::vm {
namespace {

/// TUFF's list: the gateway, this machine, the usual private and metadata addresses.
const std::vector<std::string> kRefusedTargets = {
    "gateway:22",         "gateway:80",         "gateway:443",   "gateway:5000", "gateway:8080",
    "127.0.0.1:8080",     "localhost:8080",     "::1:8080",      "10.0.0.1:80",  "172.16.0.1:80",
    "192.168.0.1:80",     "192.168.1.1:80",     "100.64.0.1:80", "0.0.0.0:8080", "224.0.0.1:80",
    "169.254.169.254:80", "100.100.100.200:80", "198.18.0.1:80", "fd00::1:80",   "2001:db8::1:80",
    "2002:c0a8:101::1:80"};

class Judge {
  public:
    Judge(const SelftestCase& test, std::string_view report) : test_(test), lines_(split(report, '\n')) {}

    std::vector<Check> run() {
        firewall();
        identity();
        connections();
        if (test_.profile == VmProfile::Files) {
            files();
        }
        bomb();
        expect(has("done"), "the guest answered everything",
               "the guest stopped before it had answered everything");
        return std::move(checks_);
    }

  private:
    bool has(const std::string& line) const {
        return std::find(lines_.begin(), lines_.end(), line) != lines_.end();
    }

    /// What follows `start` on its line; nothing when no line starts with it.
    std::optional<std::string> after(const std::string& start) const {
        for (const auto& line : lines_) {
            if (line.rfind(start, 0) == 0) {
                return line.substr(start.size());
            }
        }
        return std::nullopt;
    }

    void expect(bool good, const std::string& ok, const std::string& fail) {
        checks_.push_back({good ? Check::State::Ok : Check::State::Fail, printable_line(good ? ok : fail)});
    }

    void note(const std::string& text) { checks_.push_back({Check::State::Note, printable_line(text)}); }

    void firewall() {
        FirewallExpectation expected;
        expected.profile = test_.profile;
        expected.hosts_only = test_.hosts_only;
        expected.gateway = after("gateway ").value_or("");
        std::string listing;
        bool inside = false;
        for (const auto& line : lines_) {
            if (line.rfind("nameserver ", 0) == 0) {
                expected.nameservers.push_back(line.substr(11));
            }
            bool marker = line.rfind("firewall ", 0) == 0;
            inside = marker ? line == "firewall begin" : inside;
            listing += inside && !marker ? line + "\n" : "";
        }
        nameservers_ = expected.nameservers;
        std::string problem = firewall_problem(listing, expected);
        expect(problem.empty(), "the firewall is loaded and has the expected rules", "firewall: " + problem);
    }

    void identity() {
        auto field = [&](const std::string& name) {
            std::string value = after("status " + name + ":").value_or("missing");
            std::replace(value.begin(), value.end(), '\t', ' ');
            return value;
        };
        std::string id = std::to_string(kGuestUser);
        std::string four = " " + id + " " + id + " " + id + " " + id;
        expect(field("Uid") == four && field("Gid") == four, "the command runs as user " + id,
               "the command runs as user" + field("Uid") + ", group" + field("Gid"));
        expect(path_components(field("Groups")).empty() ||
                   field("Groups").find_first_not_of(' ') == std::string::npos,
               "it is in no further group", "it is in the groups" + field("Groups"));
        std::string left;
        for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"}) {
            std::string value = field(set);
            bool empty = value.size() > 1 && value.find_first_not_of(" 0") == std::string::npos;
            left += empty ? "" : std::string(" ") + set + value;
        }
        expect(left.empty(), "it has no capability", "capabilities are left:" + left);
        expect(field("NoNewPrivs") == " 1", "it can gain none", "no_new_privs is not set");
    }

    void refused(const std::string& target) {
        auto result = after("connect " + target + " ");
        expect(result && *result != "open", target + " is refused",
               target + (result ? " can be reached" : " was not tried"));
    }

    void connections() {
        for (const auto& probe : selftest_probes(test_)) {
            bool connect = probe.rfind("connect:", 0) == 0;
            if (connect && probe != "connect:" + test_.public_host + ":443") {
                refused(probe.substr(8));
            }
        }
        if (auto ports = after("scan gateway")) {
            bool server = std::find(nameservers_.begin(), nameservers_.end(),
                                    after("gateway ").value_or("")) != nameservers_.end();
            bool good = ports->empty() || (server && *ports == " 53");
            expect(good,
                   "no port of the gateway is open" + std::string(server ? " but its name service" : ""),
                   "open ports of the gateway:" + *ports);
        } else {
            expect(!test_.scan_gateway || test_.profile == VmProfile::Files, "no gateway to scan",
                   "the ports of the gateway were not tried");
        }
        if (test_.profile == VmProfile::Files) {
            expect(after("resolve " + test_.public_host + " ") == "no", "no name can be looked up",
                   "a name can be looked up");
        } else if (!test_.public_host.empty()) {
            auto result = after("connect " + test_.public_host + ":443 ");
            expect(result == "open", test_.public_host + ":443 can be reached",
                   test_.public_host + ":443 cannot be reached (" + result.value_or("not tried") +
                       "); is this machine online?");
        }
    }

    void files() {
        std::string folder = path_join(kFilesRoot, test_.folder_id);
        expect(after("read " + folder + "/sample.txt ") == test_.sample_hash, "the shared folder can be read",
               "the shared folder cannot be read");
        auto written = after("write " + folder + "/new ");
        expect(written && *written != "written", "the shared folder cannot be written",
               "the shared folder can be written");
        auto link = after("read " + folder + "/passwd ");
        if (test_.same_root) {
            note("a link to /etc/passwd leads to the guest's own file");
        } else {
            expect(link && *link != test_.passwd_hash,
                   "a link to /etc/passwd does not lead to this machine's file",
                   "a link to /etc/passwd leads to this machine's file");
        }
    }

    void bomb() {
        if (test_.bomb_bytes == 0) {
            return;
        }
        auto result = after("bomb " + std::to_string(test_.bomb_bytes) + " ");
        expect(result == "killed" || result == "refused", "a process that uses up the memory ends alone",
               "a process that uses up the memory: " + result.value_or("took the guest with it"));
    }

    const SelftestCase& test_;
    std::vector<std::string> lines_;
    std::vector<std::string> nameservers_;
    std::vector<Check> checks_;
};

}  // namespace

std::vector<std::string> selftest_probes(const SelftestCase& test) {
    std::vector<std::string> probes;
    for (const auto& target : kRefusedTargets) {
        probes.push_back("connect:" + target);
    }
    for (const auto& address : test.host_addresses) {
        probes.push_back("connect:" + address + ":80");
    }
    if (test.profile == VmProfile::Web) {
        if (test.scan_gateway) {
            probes.push_back("scan:gateway");
        }
        if (!test.public_host.empty()) {
            probes.push_back("connect:" + test.public_host + ":443");
        }
    } else {
        std::string folder = path_join(kFilesRoot, test.folder_id);
        probes.push_back("connect:1.1.1.1:443");
        probes.push_back("resolve:" + test.public_host);
        probes.push_back("read:" + folder + "/sample.txt");
        probes.push_back("write:" + folder + "/new");
        probes.push_back("read:" + folder + "/passwd");
    }
    if (test.bomb_bytes > 0) {
        probes.push_back("bomb:" + std::to_string(test.bomb_bytes));
    }
    return probes;
}

std::vector<Check> judge_report(const SelftestCase& test, std::string_view report) {
    return Judge(test, report).run();
}

std::string probe_hash(std::string_view content) {
    uint64_t hash = 0xcbf29ce484222325ULL;
    for (char c : content) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    }
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
    return text;
}

std::string check_line(const Check& check) {
    switch (check.state) {
        case Check::State::Ok: return "  ok    " + check.text;
        case Check::State::Fail: return "  FAIL  " + check.text;
        case Check::State::Note: break;
    }
    return "  note  " + check.text;
}

std::string summary_line(const std::vector<Check>& checks) {
    auto failed = std::count_if(checks.begin(), checks.end(),
                                [](const Check& check) { return check.state == Check::State::Fail; });
    return failed == 0 ? "all sandbox checks passed" : std::to_string(failed) + " check(s) failed";
}

}  // namespace sbx::vm
