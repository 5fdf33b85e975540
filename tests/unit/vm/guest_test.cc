// The parts of the guest's init that only read and write texts. What it does is tested in
// tests/e2e/vm_guest_test.py.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "vm/guest/firewall.h"
#include "vm/guest/privileges.h"
#include "vm/guest/selftest.h"
#include "vm/guest/settings.h"
#include "vm/render/report.h"

namespace sbx::guest {
namespace {

constexpr const char* kGood =
    "Name:\tinit\nUid:\t10001\t10001\t10001\t10001\nGid:\t10001\t10001\t10001\t10001\nGroups:\t \n"
    "CapInh:\t0000000000000000\nCapPrm:\t0000000000000000\nCapEff:\t0000000000000000\nCapBnd:"
    "\t0000000000000000\n"
    "CapAmb:\t0000000000000000\nNoNewPrivs:\t1\nSeccomp:\t0\n";

std::string changed(const std::string& from, const std::string& to) {
    std::string status = kGood;
    size_t at = status.find(from);
    return at == std::string::npos ? "" : status.replace(at, from.size(), to);
}

TEST(Privileges, Table) {  // T29, T64
    Message problem;
    EXPECT_TRUE(status_is_unprivileged(kGood, problem));
    const std::pair<const char*, const char*> wrong[] = {
        {"Uid:\t10001", "Uid:\t0"},
        {"10001\nGid", "0\nGid"},
        {"Uid:\t10001\t10001\t10001\t10001", "Uid:\t10001\t10001\t10001"},
        {"Gid:\t10001", "Gid:\t0"},
        {"Groups:\t ", "Groups:\t0 "},
        {"Groups:\t \n", ""},
        {"CapInh:\t0000000000000000", "CapInh:\t0000000000003000"},
        {"CapPrm:\t0000000000000000", "CapPrm:\t0000000000001000"},
        {"CapEff:\t0000000000000000", "CapEff:\t0000000000001000"},
        {"CapBnd:\t0000000000000000", "CapBnd:\t000001ffffffffff"},
        {"CapAmb:\t0000000000000000", "CapAmb:\t0000000000000001"},
        {"CapAmb:\t0000000000000000\n", ""},
        {"CapBnd:\t0000000000000000", "CapBnd:\t"},
        {"NoNewPrivs:\t1", "NoNewPrivs:\t0"},
        {"NoNewPrivs:\t1\n", ""},
    };
    for (const auto& [from, to] : wrong) {
        EXPECT_FALSE(status_is_unprivileged(changed(from, to).c_str(), problem)) << from;
        EXPECT_NE(std::string(problem.data()).find("refusing to start"), std::string::npos);
    }
    EXPECT_FALSE(status_is_unprivileged("", problem));
}

TEST(Settings, RouteTable) {  // T17
    const char* table =
        "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
        "eth0\t0040A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"
        "eth1\t00000000\t0201A8C0\t0003\t0\t0\t200\t00000000\t0\t0\t0\n"
        "eth0\t00000000\t0140A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n";
    vm::Address gateway{};
    char text[vm::kAddressText];
    ASSERT_TRUE(read_gateway(table, gateway));
    vm::format_address(gateway, text);
    EXPECT_STREQ(text, "192.168.64.1");
    EXPECT_TRUE(has_network(table, ""));
    std::string header = std::string(table).substr(0, std::string(table).find('\n') + 1);
    EXPECT_FALSE(read_gateway(header.c_str(), gateway));
    EXPECT_FALSE(has_network(header.c_str(), "00000000000000000000000000000001 01 80 10 80       lo\n"));
    EXPECT_TRUE(has_network(header.c_str(), "fe800000000000000000000000000001 02 40 20 80     eth0\n"));
    // A half default (0.0.0.0/1) or one that is down is no default gateway.
    EXPECT_FALSE(read_gateway("eth0\t00000000\t0140A8C0\t0003\t0\t0\t0\t00000080\t0\t0\t0\n", gateway));
    EXPECT_FALSE(read_gateway("eth0\t00000000\t0140A8C0\t0002\t0\t0\t0\t00000000\t0\t0\t0\n", gateway));
}

TEST(Settings, NameServers) {
    Settings settings;
    Message problem;
    ASSERT_TRUE(
        read_nameservers("search lan\nnameserver 192.168.64.1\n  nameserver\t2606::1 ; other\n#nameserver x\n"
                         "nameservers 1.1.1.1\nnameserver 9.9.9.9",
                         settings, problem));
    EXPECT_EQ(settings.nameservers.count, 3);
    EXPECT_FALSE(read_nameservers("nameserver \x1b[31m\n", settings, problem));
    EXPECT_STREQ(problem.data(), "unreadable nameserver ?[31m; refusing to start");
    EXPECT_FALSE(read_nameservers("nameserver \n", settings, problem));
}

TEST(Settings, HostileValuesNeverBecomeRules) {
    for (const char* value : {"1.2.3.4;accept", "1.2.3.4\naccept", "1.2.3.4/0", "0x1", "{1.2.3.4}", "a"}) {
        Settings settings;
        Message problem;
        Variables variables;
        variables.blocked = value;
        EXPECT_FALSE(read_settings(variables, settings, problem)) << value;
    }
}

std::string web_file() {
    std::ifstream file(std::string(SBX_SOURCE_DIR) + "/src/vm/guest/firewall-web.nft");
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

TEST(Firewall, NameServersComeBeforeBlockedAddresses) {
    Settings settings;
    Message problem;
    Variables variables;
    variables.blocked = "192.168.64.1,93.184.216.34";
    ASSERT_TRUE(read_settings(variables, settings, problem));
    ASSERT_TRUE(read_nameservers("nameserver 192.168.64.1\n", settings, problem));
    static FileText rules;
    ASSERT_TRUE(build_firewall(web_file().c_str(), settings, nullptr, rules));
    std::string text = rules.data();
    // Each is inserted at the head of the chain, so the last one is the first to be asked.
    EXPECT_LT(text.find("ip daddr 192.168.64.1 reject"),
              text.find("ip daddr 192.168.64.1 udp dport 53 accept"));
    EXPECT_EQ(text.find("add rule inet sbx input"), std::string::npos);
}

TEST(Firewall, WithoutItsMarkerTheFileIsNotTheOne) {
    static FileText rules;
    EXPECT_FALSE(build_firewall("table inet sbx { }\n", Settings(), nullptr, rules));
}

TEST(Firewall, RulesThatDoNotFitAreNotCutOff) {
    static FileText rules;
    std::string large = web_file() + std::string(70'000, '#');
    EXPECT_FALSE(build_firewall(large.c_str(), Settings(), nullptr, rules));
}

TEST(Selftest, BothSidesHashAlike) {
    EXPECT_EQ(vm::probe_hash("sample\n").size(), 16U);
    char text[17];
    snprintf(text, sizeof text, "%016llx", content_hash("sample\n", 7));
    EXPECT_EQ(vm::probe_hash("sample\n"), text);
}

}  // namespace
}  // namespace sbx::guest
