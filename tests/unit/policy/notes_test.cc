// sbx check's security notes (P19, P59, P112, P133, P136, P143, P148, P151).
#include "policy/notes.h"

#include "policy/profiles.h"
#include "unit/policy/policy_fixture.h"

namespace sbx {
namespace {

class SecurityNotes : public PolicyTest {
  protected:
    std::string codes(const std::string& text) {
        LoadedPolicy loaded = load(text);
        EXPECT_EQ(errors_of(loaded), "");
        std::string out;
        for (const SecurityNote& note : security_notes(loaded, {})) {
            out += (out.empty() ? "" : " ") + note.code;
        }
        return out;
    }
};

TEST_F(SecurityNotes, NoneForTheDefaultAndForWhatNarrows) {
    EXPECT_EQ(codes(""), "");
    EXPECT_EQ(codes("[sandbox]\ntainted = true\nsystemRead = \"minimal\"\n[limits]\nmemory = \"1G\"\n"), "");
    EXPECT_EQ(codes("sandbox.env.pass = [\"EDITOR\"]\nsandbox.env.set = { A = \"b\" }"), "");
}

TEST_F(SecurityNotes, OneForEachWeakness) {
    EXPECT_EQ(codes("sandbox.backend = \"native\""), "native");
    EXPECT_EQ(codes("sandbox.failureMode = \"fallback-native\""), "fallback");
    EXPECT_EQ(codes("sandbox.mode = \"bypass\""), "bypass");
    EXPECT_EQ(codes("sandbox.bypassWhenTainted = true"), "bypass_when_tainted");
    EXPECT_EQ(codes("sandbox.network = \"on\""), "network");
    EXPECT_EQ(codes("sandbox.network = \"on\"\nsandbox.read = [\"/x\"]"), "network network_with_private_reads wider");
    EXPECT_EQ(codes("sandbox.allowPort4040Override = true"), "port_4040");
    EXPECT_EQ(codes("sandbox.home = \"host\""), "home_host");
    EXPECT_EQ(codes("sandbox.home = \"persistent\""), "wider");
    EXPECT_EQ(codes("guards.git = \"off\""), "guards_git");
    EXPECT_EQ(codes("guards.instructions = \"off\""), "wider");
    EXPECT_EQ(codes("guards.handover = \"report\""), "wider");
    EXPECT_EQ(codes("sandbox.nested = \"weaker\""), "nested_weaker");
    EXPECT_EQ(codes("sandbox.env.pass = [\"GITHUB_TOKEN\"]"), "secret_variable");
    EXPECT_EQ(codes("sandbox.write = [\"/x\"]"), "wider");
    EXPECT_EQ(codes("zones.exempt = [\"x.pem\"]"), "wider");
    EXPECT_EQ(codes("scan.onLimit = \"note\""), "wider");
    EXPECT_EQ(codes("sandbox.repoRoot = \"/x\""), "wider");
    EXPECT_EQ(codes("vm.publish = \"127.0.0.1:80:80\""), "publish");
}

TEST_F(SecurityNotes, SecretsInFoldersOfTheGuest) {  // C6, T93
    LoadedPolicy loaded = load("vm.profile = \"files\"\nvm.folders = [{ path = \"/f\" }]");
    Surroundings around;
    EXPECT_TRUE(security_notes(loaded, around).empty());
    for (const char* name : {"/f/a.pem", "/f/b.pem", "/f/c.pem", "/f/d.pem", "/f/e.pem"}) {
        around.vm_folders.masks.push_back({name, FileKind::File, "*.pem"});
    }
    around.vm_folders.unreadable = 1;
    auto notes = security_notes(loaded, around);
    ASSERT_EQ(notes.size(), 2U);
    EXPECT_EQ(notes[0].message,
              "the files profile hides nothing in vm.folders, secrets included: /f/a.pem, /f/b.pem, /f/c.pem and 2 more "
              "(p.toml:2:24)");
    EXPECT_EQ(notes[1].code, "folder_not_searched");
}

TEST_F(SecurityNotes, SandboxExecIsDeprecated) {  // F47
    EXPECT_EQ(remarks(load(""), Platform::Mac).size(), 1U);
    EXPECT_EQ(remarks(load("sandbox.backend = \"sandbox-exec\""), Platform::Linux).size(), 1U);
    EXPECT_TRUE(remarks(load("sandbox.backend = \"container\""), Platform::Mac).empty());
    EXPECT_TRUE(remarks(load(""), Platform::Linux).empty());
}

TEST_F(SecurityNotes, TheyNameTheOrigin) {
    auto notes = security_notes(load("\n\nsandbox.backend = \"native\""), {});
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_NE(notes[0].message.find("(p.toml:3:19)"), std::string::npos);
}

// P150
TEST_F(SecurityNotes, FilesThatOthersCanRead) {
    LoadedPolicy loaded = load("");
    EXPECT_TRUE(security_notes(loaded, {{{"/x", 0644, false, false}, {"/y", 0600, false, true}}, {}, {}}).empty());
    EXPECT_EQ(security_notes(loaded, {{{"/x", 0644, false, true}}, {}, {}}).at(0).code, "readable_by_others");
    EXPECT_EQ(security_notes(loaded, {{{"/x", 0644, true, false}}, {}, {}}).at(0).code, "readable_by_others");
    EXPECT_EQ(security_notes(loaded, {{{"/x", 0622, false, false}}, {}, {}}).at(0).code, "writable_by_others");
}

// Every shipped profile is valid, says what it is for, and has the weaknesses that are expected of it.
struct ProfileCase {
    const char* name;
    const char* notes;
};

class Profiles : public SecurityNotes, public testing::WithParamInterface<ProfileCase> {};

// F3, F31
TEST_P(Profiles, LoadAndAreKnown) {
    PolicyRequest request;
    request.only_named = true;
    request.named.push_back({true, GetParam().name});
    LoadedPolicy loaded = load_policy(facts_, request);
    EXPECT_EQ(errors_of(loaded), "");
    std::string codes;
    for (const SecurityNote& note : security_notes(loaded, {})) {
        codes += (codes.empty() ? "" : " ") + note.code;
    }
    EXPECT_EQ(codes, GetParam().notes);
    const ShippedProfile* profile = find_profile(GetParam().name);
    ASSERT_NE(profile, nullptr);
    EXPECT_GT(profile_summary(*profile).size(), 20U);
    EXPECT_LT(profile->text().size(), 1500U) << "short enough to read";
}

constexpr ProfileCase kProfiles[] = {
    {"default", ""}, {"agent", "network secret_variable secret_variable secret_variable secret_variable wider"},
    {"ci", ""}, {"untrusted", ""}, {"pine", "wider wider"}, {"fusion", "native network network_with_private_reads wider"},
    {"tatu", "wider wider wider"}, {"web", ""}, {"files", ""}, {"git-look", ""}, {"decode", ""},
    {"node", "network wider"}, {"python", "network wider"}, {"rust", "network wider"}, {"go", "network wider"}};

INSTANTIATE_TEST_SUITE_P(Shipped, Profiles, testing::ValuesIn(kProfiles));

TEST(ProfileTable, HasEveryProfile) { EXPECT_EQ(shipped_profiles().size(), std::size(kProfiles)); }

}  // namespace
}  // namespace sbx
