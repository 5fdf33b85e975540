#include "policy/trust.h"

#include <sys/stat.h>

#include "policy/sha256.h"
#include "unit/policy/policy_fixture.h"

namespace sbx {
namespace {

TEST(Sha256, KnownDigests) {
    EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(sha256_hex(std::string(1'000'000, 'a')),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

class Trusting : public PolicyTest {
  protected:
    TrustStore store() { return TrustStore(facts_.state_dir); }
};

TEST_F(Trusting, PinsPathAndContent) {
    EXPECT_EQ(store().state("/p/sbx.toml", "a"), TrustState::Unknown);
    ASSERT_TRUE(store().trust("/p/sbx.toml", "a"));
    EXPECT_EQ(store().state("/p/sbx.toml", "a"), TrustState::Trusted);
    EXPECT_EQ(store().state("/p/sbx.toml", "b"), TrustState::Changed);
    EXPECT_EQ(store().state("/q/sbx.toml", "a"), TrustState::Unknown);
    ASSERT_TRUE(store().trust("/p/sbx.toml", "b"));
    EXPECT_EQ(store().state("/p/sbx.toml", "b"), TrustState::Trusted);
    EXPECT_EQ(store().list().size(), 1U);
    EXPECT_TRUE(*store().revoke("/p/sbx.toml"));
    EXPECT_FALSE(*store().revoke("/p/sbx.toml"));
    EXPECT_EQ(store().state("/p/sbx.toml", "b"), TrustState::Unknown);
}

TEST_F(Trusting, FilesArePrivate) {  // P103, P146
    ASSERT_TRUE(store().trust("/p/sbx.toml", "a"));
    struct stat status {};
    ASSERT_EQ(stat((facts_.state_dir + "/trust").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0700U);
    for (const auto& entry : std::filesystem::directory_iterator(facts_.state_dir + "/trust")) {
        ASSERT_EQ(stat(entry.path().c_str(), &status), 0);
        EXPECT_EQ(status.st_mode & 0777, 0600U);
    }
}

TEST_F(Trusting, RecordsThatOthersCouldWriteDoNotCount) {
    ASSERT_TRUE(store().trust("/p/sbx.toml", "a"));
    for (const auto& entry : std::filesystem::directory_iterator(facts_.state_dir + "/trust")) {
        chmod(entry.path().c_str(), 0620);
    }
    EXPECT_EQ(store().state("/p/sbx.toml", "a"), TrustState::Unknown);
    chmod((facts_.state_dir + "/trust").c_str(), 0770);
    EXPECT_EQ(store().trust("/p/sbx.toml", "a").error().code, "not_trusted");
}

}  // namespace
}  // namespace sbx
