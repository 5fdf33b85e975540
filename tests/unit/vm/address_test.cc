#include "vm/render/address.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace sbx::vm {
namespace {

bool is_public_text(const char* text) {
    Address address{};
    return parse_address(text, address) && is_public(address);
}

TEST(Address, OnlyPublicOnesArePublic) {  // T13, T52: the predecessor's table
    for (const char* text : {"127.0.0.1",
                             "10.0.0.1",
                             "192.168.64.1",
                             "172.16.0.1",
                             "169.254.169.254",
                             "100.64.0.1",
                             "::1",
                             "fd00::1",
                             "::ffff:192.168.64.1",
                             "0.0.0.0",
                             "224.0.0.1",
                             "not-an-ip",
                             "::127.0.0.1",
                             "::10.0.0.1",
                             "64:ff9b::a00:1",
                             "64:ff9b::c0a8:1",
                             "64:ff9b:1::a00:1",
                             "fec0::1",
                             "::ffff:0:127.0.0.1",
                             "2002:c0a8:101::1",
                             "2001:0:4136:e378:8000:63bf:3fff:fdd2",
                             "2001:db8::1",
                             "255.255.255.255",
                             "240.0.0.1",
                             "100.127.255.255",
                             "172.31.255.255",
                             "198.19.255.255",
                             "192.0.0.255",
                             "192.88.99.7",
                             "fe80::1",
                             "ff02::1",
                             "",
                             "1",
                             "1.2.3",
                             "01.2.3.4.5",
                             "1.2.3.4 ",
                             "fe80::1%eth0",
                             "[2606::1]"}) {
        EXPECT_FALSE(is_public_text(text)) << text;
    }
    for (const char* text : {"93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946", "2001:4860:4860::8888",
                             "::ffff:8.8.8.8", "100.63.255.255", "100.128.0.0", "172.15.255.255",
                             "172.32.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "192.0.1.0",
                             "11.0.0.0", "9.255.255.255", "2001:1::1", "2003::1", "3fff:ffff::1"}) {
        EXPECT_TRUE(is_public_text(text)) << text;
    }
}

TEST(Address, TheFirewallFileListsTheSameRanges) {
    std::ifstream file(std::string(SBX_SOURCE_DIR) + "/src/vm/guest/firewall-web.nft");
    std::stringstream text;
    text << file.rdbuf();
    for (const auto& range : kRefused4) {
        EXPECT_NE(text.str().find(std::string(" ") + range.text), std::string::npos) << range.text;
    }
    for (const auto& range : kRefused6) {
        EXPECT_NE(text.str().find(std::string(" ") + range.text), std::string::npos) << range.text;
    }
}

TEST(Address, TextForm) {
    Address address{};
    char text[kAddressText];
    ASSERT_TRUE(parse_address("2001:0DB8:0:0::1", address));
    format_address(address, text);
    EXPECT_STREQ(text, "2001:db8::1");
    ASSERT_TRUE(parse_address("::ffff:1.2.3.4", address));
    format_address(unmapped(address), text);
    EXPECT_STREQ(text, "1.2.3.4");
}

}  // namespace
}  // namespace sbx::vm
