#include "policy/policy_file.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "unit/policy/policy_fixture.h"

namespace sbx {
namespace {

class PolicyFile : public PolicyTest {
  protected:
    std::string code(const std::string& path, PolicyFileRules rules = {}) {
        auto result = read_policy_file(path, rules);
        return result ? "" : result.error().code;
    }
};

TEST_F(PolicyFile, AtMost64KiB) {  // T50
    EXPECT_EQ(code(write("a", std::string(65536, '#'))), "");
    EXPECT_EQ(code(write("a", std::string(65537, '#'))), "oversized");
}

TEST_F(PolicyFile, StrictUtf8) {  // T83
    EXPECT_EQ(code(write("a", "# gr\xc3\xbc\xc3\x9f")), "");
    EXPECT_EQ(code(write("a", "# \xff")), "unreadable");
    EXPECT_EQ(code(write("a", "# \xc0\xaf")), "unreadable");
    EXPECT_EQ(code(write("a", "# \xed\xa0\x80")), "unreadable");
}

TEST_F(PolicyFile, ByteOrderMarkIsDropped) {
    auto result = read_policy_file(write("a", "\xef\xbb\xbf[sandbox]\n"), {});
    ASSERT_TRUE(result);
    EXPECT_EQ(result->text, "[sandbox]\n");
}

TEST_F(PolicyFile, MustBeARegularFile) {  // T73, T89
    EXPECT_EQ(code(root_ + "/nothing"), "not_found");
    EXPECT_EQ(code(root_), "not_a_file");
    ASSERT_EQ(mkfifo((root_ + "/pipe").c_str(), 0600), 0);
    EXPECT_EQ(code(root_ + "/pipe"), "not_a_file") << "and opening it must not wait";
    EXPECT_EQ(code("/dev/null"), "not_a_file");
}

TEST_F(PolicyFile, LinksAndSharedFilesAreRefusedWhereAsked) {
    std::string file = write("a", "");
    ASSERT_EQ(symlink(file.c_str(), (root_ + "/link").c_str()), 0);
    EXPECT_EQ(code(root_ + "/link"), "");
    EXPECT_EQ(code(root_ + "/link", {true, true}), "not_trusted");
    EXPECT_EQ(code(file, {true, true}), "");
    chmod(file.c_str(), 0664);
    EXPECT_EQ(code(file, {true, true}), "not_trusted");
    chmod(file.c_str(), 0646);
    EXPECT_EQ(code(file, {true, true}), "not_trusted");
    EXPECT_EQ(code(file), "");
}

TEST_F(PolicyFile, TellsTheCanonicalPath) {
    write("project/a", "");
    ASSERT_EQ(symlink("project", (root_ + "/link").c_str()), 0);
    auto result = read_policy_file(root_ + "/link/./a", {});
    ASSERT_TRUE(result);
    EXPECT_EQ(result->path, root_ + "/project/a");
}

TEST_F(PolicyFile, ChangedWhileReading) {  // T88: a writer that never rests is seen within a few tries
    std::string file = write("a", std::string(60000, '#'));
    pid_t writer = fork();
    if (writer == 0) {
        for (;;) {
            std::ofstream(file, std::ios::app) << "#";
            if (truncate(file.c_str(), 60000) != 0) {
                _exit(1);
            }
        }
    }
    bool seen = false;
    for (int i = 0; i < 200000 && !seen; ++i) {
        std::string found = code(file);
        ASSERT_TRUE(found.empty() || found == "changed_while_reading") << found;
        seen = !found.empty();
    }
    kill(writer, SIGKILL);
    waitpid(writer, nullptr, 0);
    EXPECT_TRUE(seen);
}

}  // namespace
}  // namespace sbx
