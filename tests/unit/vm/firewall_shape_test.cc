#include "vm/render/firewall_shape.h"

#include <gtest/gtest.h>

#include "util/text.h"
#include "vm/render/report.h"

namespace sbx::vm {
namespace {

constexpr const char* kRefusal4 =
    "ip daddr { 0.0.0.0/8, 10.0.0.0/8, 100.64.0.0/10, 127.0.0.0/8, 169.254.0.0/16, 172.16.0.0/12, "
    "192.0.0.0/24, "
    "192.0.2.0/24, 192.88.99.0/24, 192.168.0.0/16, 198.18.0.0/15, 198.51.100.0/24, 203.0.113.0/24, "
    "224.0.0.0/3 } "
    "reject with icmpx admin-prohibited";

// As nft 1.0.6 lists it.
std::string good() {
    return std::string(R"(table inet sbx {
	chain input {
		type filter hook input priority filter; policy drop;
		iif "lo" accept
		ct state established,related accept
		icmpv6 type { nd-router-advert, nd-neighbor-solicit, nd-neighbor-advert } ip6 hoplimit 255 accept
	}

	chain forward {
		type filter hook forward priority filter; policy drop;
	}

	chain output {
		type filter hook output priority filter; policy drop;
		ip daddr 192.168.64.1 udp dport 53 accept
		ip daddr 192.168.64.1 tcp dport 53 accept
		oif "lo" accept
		ct state established,related accept
		icmpv6 type { nd-router-solicit, nd-neighbor-solicit, nd-neighbor-advert } ip6 hoplimit 255 accept
		)") +
           kRefusal4 + R"(
		ip6 daddr { 2001::/32, 2001:db8::/32, 2002::/16 } reject with icmpx admin-prohibited
		meta nfproto ipv4 accept
		ip6 daddr 2000::/3 accept
		reject with icmpx admin-prohibited
	}
}
)";
}

std::string replaced(const std::string& from, const std::string& to) {
    std::string text = good();
    size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

FirewallExpectation web() {
    FirewallExpectation expected;
    expected.nameservers = {"192.168.64.1"};
    expected.gateway = "192.168.64.1";
    return expected;
}

bool passes(const std::string& listing) {
    return firewall_problem(listing, web()).empty();
}

constexpr const char* kBeforeRefusal = "oif \"lo\" accept\n\t\tct";
constexpr const char* kAfterRefusal = "meta nfproto ipv4 accept";

std::string with(const char* place, const std::string& rule) {
    return replaced(place, rule + "\n\t\t" + place);
}

TEST(FirewallShape, GoodListings) {  // T28
    EXPECT_EQ(firewall_problem(good(), web()), "");
    EXPECT_TRUE(passes(replaced("udp dport 53", "udp dport domain")));
    EXPECT_TRUE(passes(with(kBeforeRefusal, "ip daddr 93.184.216.34 tcp dport 443 accept")));
    EXPECT_TRUE(passes(with(kBeforeRefusal, "ip daddr 93.184.216.34 reject with icmpx admin-prohibited")));
}

TEST(FirewallShape, BadListings) {  // T28
    const std::pair<const char*, std::string> bad[] = {
        {"empty", ""},
        {"no table", "table inet other {\n}\n"},
        {"policy accept",
         replaced("hook output priority filter; policy drop", "hook output priority filter; policy accept")},
        {"input accepts",
         replaced("hook input priority filter; policy drop", "hook input priority filter; policy accept")},
        {"range missing", replaced("10.0.0.0/8, ", "")},
        {"range narrowed", replaced("10.0.0.0/8", "10.0.0.0/9")},
        {"192.168 missing", replaced("192.168.0.0/16, ", "")},
        {"224 missing", replaced(", 224.0.0.0/3", "")},
        {"no refusal", replaced(kRefusal4, "counter")},
        {"IPv6 range missing", replaced(", 2002::/16", "")},
        {"range accepted before", with(kBeforeRefusal, "ip daddr 192.168.0.0/16 accept")},
        {"bare accept before", with(kBeforeRefusal, "accept")},
        {"everything before", with(kBeforeRefusal, "meta nfproto ipv4 accept")},
        {"a port for everyone", with(kBeforeRefusal, "tcp dport 443 accept")},
        {"a port range", with(kBeforeRefusal, "ip daddr 1.2.3.4 tcp dport 1-65535 accept")},
        {"jump", with(kBeforeRefusal, "jump other")},
        {"goto", with(kBeforeRefusal, "goto other")},
        {"queue", with(kBeforeRefusal, "queue to 0")},
        {"name server on another port", replaced("udp dport 53", "udp dport 80")},
        {"two extra addresses",
         with(kBeforeRefusal,
              "ip daddr 1.2.3.4 tcp dport 1 accept\n\t\tip daddr 1.2.3.5 tcp dport 1 accept")},
        {"accept after", with(kAfterRefusal, "ip daddr 10.1.2.3 tcp dport 80 accept")},
        {"bare accept after", with(kAfterRefusal, "accept")},
        {"negation", replaced("ip daddr { 0.0.0.0/8", "ip daddr != { 0.0.0.0/8")},
        {"other chain", replaced("\tchain forward {", "\tchain other {\n\t}\n\n\tchain forward {")},
        {"inbound", replaced("iif \"lo\" accept", "iif \"lo\" accept\n\t\ttcp dport 22 accept")},
        {"echo",
         replaced("icmpv6 type { nd-router-solicit", "icmpv6 type { echo-request, nd-router-solicit")},
    };
    for (const auto& [name, listing] : bad) {
        EXPECT_FALSE(passes(listing)) << name;
    }
}

TEST(FirewallShape, PublishedPort) {  // T14
    std::string listing = replaced("\t}\n\n\tchain forward",
                                   "\t\tip saddr 192.168.64.1 tcp dport 9000 accept\n\t}\n\n\tchain forward");
    FirewallExpectation expected = web();
    EXPECT_NE(firewall_problem(listing, expected), "");
    expected.inbound_port = 9000;
    EXPECT_EQ(firewall_problem(listing, expected), "");
    EXPECT_NE(firewall_problem(good(), expected), "");
    expected.gateway = "192.168.64.2";
    EXPECT_NE(firewall_problem(listing, expected), "");
}

TEST(FirewallShape, AllowedHosts) {  // T46
    FirewallExpectation expected = web();
    expected.hosts_only = true;
    EXPECT_NE(firewall_problem(good(), expected), "") << "every public address is open";
    std::string closed = replaced("meta nfproto ipv4 accept\n\t\tip6 daddr 2000::/3 accept",
                                  "ip daddr 93.184.216.34 tcp dport 443 accept");
    EXPECT_EQ(firewall_problem(closed, expected), "");
    EXPECT_NE(firewall_problem(closed, web()), "");
}

TEST(FirewallShape, Files) {  // T15, T57
    std::string listing = R"(table inet sbx {
	chain input {
		type filter hook input priority filter; policy drop;
		iif "lo" accept
		ct state established,related accept
	}
	chain forward {
		type filter hook forward priority filter; policy drop;
	}
	chain output {
		type filter hook output priority filter; policy drop;
		oif "lo" accept
		ct state established,related accept
		meta l4proto tcp reject with tcp reset
		reject with icmpx admin-prohibited
	}
}
)";
    FirewallExpectation expected;
    expected.profile = VmProfile::Files;
    EXPECT_EQ(firewall_problem(listing, expected), "");
    EXPECT_NE(firewall_problem(good(), expected), "");
    EXPECT_NE(firewall_problem(listing, web()), "");
}

TEST(Report, MissingAnswersFail) {
    SelftestCase test;
    auto checks = judge_report(test, "");
    EXPECT_NE(summary_line(checks), "all sandbox checks passed");
    for (const auto& check : checks) {
        EXPECT_EQ(check.state, Check::State::Fail) << check.text;
    }
}

TEST(Report, LinesAreTUFFs) {
    EXPECT_EQ(check_line({Check::State::Ok, "x"}), "  ok    x");
    EXPECT_EQ(check_line({Check::State::Fail, "x"}), "  FAIL  x");
    EXPECT_EQ(check_line({Check::State::Note, "x"}), "  note  x");
    EXPECT_EQ(summary_line({{Check::State::Ok, ""}, {Check::State::Note, ""}}), "all sandbox checks passed");
    EXPECT_EQ(summary_line({{Check::State::Fail, ""}}), "1 check(s) failed");
}

}  // namespace
}  // namespace sbx::vm
