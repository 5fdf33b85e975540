#include "host/scan.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "policy/sha1.h"

namespace sbx {
namespace {

namespace fs = std::filesystem;

class ScanRoots : public testing::Test {
  protected:
    void SetUp() override {
        std::string name = "/tmp/sbx-scan.XXXXXX";
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        root_ = fs::canonical(name).string();
        request_.roots.push_back({root_, true});
        request_.is_dependency_folder = [](std::string_view folder) { return folder == "node_modules"; };
    }
    void TearDown() override { fs::remove_all(root_); }

    std::string write(const std::string& name, const std::string& text = "x") {
        fs::path path = fs::path(root_) / name;
        fs::create_directories(path.parent_path());
        std::ofstream(path) << text;
        return path.string();
    }

    ScanFacts scan() {
        auto facts = scan_roots(request_);
        EXPECT_TRUE(facts.ok());
        return facts.ok() ? *facts : ScanFacts();
    }

    std::vector<std::string> masked() {
        std::vector<std::string> paths;
        for (const MaskMatch& match : scan().masks) {
            paths.push_back(match.path.substr(root_.size() + 1));
        }
        return paths;
    }

    using Names = std::vector<std::string>;
    std::string root_;
    ScanRequest request_;
};

// T74
TEST_F(ScanRoots, H11FindsSecretsAtAnyDepthSorted) {
    for (const char* name : {"z/.env", "a/b/c/server.key", ".env", ".env.example", "src/main.c", ".ssh/id", ".git/x.pem"}) {
        write(name);
    }
    EXPECT_EQ(masked(), (Names{".env", ".ssh", "a/b/c/server.key", "z/.env"}));
}

// T75
TEST_F(ScanRoots, T75DependencyFoldersOnlyForRepositories) {
    write("node_modules/p/cert.pem");
    write("node_modules/p/.git/HEAD");
    write("vendored/cert.pem");
    write("sub/.git", "gitdir: elsewhere");
    write(".git/HEAD");
    request_.own_entry = root_ + "/.git";
    EXPECT_EQ(masked(), Names{"vendored/cert.pem"});
    EXPECT_EQ(scan().repositories, (Names{root_ + "/node_modules/p/.git", root_ + "/sub/.git"}));
    request_.limits.skip.push_back({"VENDOR*", Origin::flag("test")});
    EXPECT_EQ(masked(), Names{});
    request_.roots[0].writable = false;
    EXPECT_EQ(scan().repositories, Names{});
}

// What the command can make must not unhide what the user has (a later run).
TEST_F(ScanRoots, AVirtualEnvironmentsMarkUnhidesNothing) {
    write("config/pyvenv.cfg");
    write("config/server.key");
    EXPECT_EQ(masked(), Names{"config/server.key"});
}

TEST_F(ScanRoots, LinksAreReportedAsWhatTheyLeadTo) {
    write("real/production.txt");
    fs::create_symlink("real/production.txt", root_ + "/.env");
    fs::create_symlink("/etc/passwd", root_ + "/passwd.pem");
    fs::create_symlink(".", root_ + "/real/loop.key");
    fs::create_symlink("nowhere", root_ + "/nowhere.key");
    fs::create_symlink("/etc", root_ + "/system");
    EXPECT_EQ(masked(), Names{"real/production.txt"});
}

TEST_F(ScanRoots, CountsHardLinks) {
    fs::create_hard_link(write("a.key"), root_ + "/other");
    ScanFacts facts = scan();
    ASSERT_EQ(facts.masks.size(), 1U);
    EXPECT_EQ(facts.masks[0].links, 2U);
    EXPECT_EQ(facts.masks[0].pattern, "*.key");
}

TEST_F(ScanRoots, HandoverFilesOnceAndMasksInThem) {
    write(".vscode/a.key");
    write(".vscode/.vscode/x");
    write("sub/.envrc");
    fs::create_symlink("../elsewhere", root_ + "/.vscode/tasks.json");
    request_.is_handover = [](std::string_view name, std::string_view parent, bool directory, bool) {
        return (name == ".vscode" && directory) || (name == ".envrc" && parent == "sub");
    };
    ScanFacts facts = scan();
    ASSERT_EQ(facts.handover.size(), 3U);
    EXPECT_EQ(facts.handover[0].path, root_ + "/.vscode");
    EXPECT_EQ(facts.handover[0].kind, FileKind::Directory);
    EXPECT_EQ(facts.handover[1].path, root_ + "/.vscode/tasks.json");
    EXPECT_TRUE(facts.handover[1].inside) << "what a link in there leads to counts as well";
    EXPECT_EQ(facts.handover[2].path, root_ + "/sub/.envrc");
    EXPECT_EQ(facts.handover[2].kind, FileKind::File);
    EXPECT_EQ(facts.masks.size(), 1U);
}

TEST_F(ScanRoots, AnUnreadableFolderOfTheCallersIsHidden) {
    write("config/server.key");
    fs::permissions(root_ + "/config", fs::perms::none);
    bool root = geteuid() == 0;  // root reads it all the same
    EXPECT_EQ(masked(), Names{root ? "config/server.key" : "config"});
    fs::permissions(root_ + "/config", fs::perms::owner_all);
}

TEST_F(ScanRoots, LimitsAreErrorsThatNameTheKey) {
    for (int i = 0; i < 3000; ++i) {
        write("f" + std::to_string(i));
    }
    request_.limits.max_entries.value = 2000;
    auto facts = scan_roots(request_);
    ASSERT_FALSE(facts.ok());
    EXPECT_EQ(facts.error().code, "scan_limit");
    EXPECT_NE(facts.error().message.find("scan.maxEntries"), std::string::npos);
    request_.limits.on_limit.value = ScanLimit::Note;
    EXPECT_TRUE(scan().limit_reached);
    request_.limits.on_limit.value = ScanLimit::Error;
    request_.limits.max_entries.value = 5000;
    request_.limits.timeout_ms.value = 0;
    facts = scan_roots(request_);
    ASSERT_FALSE(facts.ok());
    EXPECT_NE(facts.error().message.find("scan.timeout"), std::string::npos);
}

TEST_F(ScanRoots, TwoThreadsFindWhatOneFinds) {
    Names expected;
    for (int folder = 0; folder < 60; ++folder) {
        std::string name = "d" + std::to_string(folder % 7) + "/e" + std::to_string(folder);
        fs::create_directories(root_ + "/" + name);
        for (int file = 0; file < 500; ++file) {
            std::string path = root_ + "/" + name + "/f" + std::to_string(file);
            close(open(path.c_str(), O_CREAT | O_WRONLY, 0644));
        }
        write(name + "/.env");
        expected.push_back(name + "/.env");
    }
    std::sort(expected.begin(), expected.end());
    for (int round = 0; round < 20; ++round) {
        EXPECT_EQ(masked(), expected);
        EXPECT_EQ(scan().entries, 60U * 502 + 7);
    }
}

TEST_F(ScanRoots, FollowsPathsLongerThanTheKernelTakes) {
    int at = open(root_.c_str(), O_RDONLY | O_DIRECTORY);
    std::string name(200, 'd');
    for (int depth = 0; depth < 40; ++depth) {
        ASSERT_EQ(mkdirat(at, name.c_str(), 0755), 0);
        int next = openat(at, name.c_str(), O_RDONLY | O_DIRECTORY);
        close(at);
        at = next;
    }
    close(openat(at, "deep.key", O_CREAT | O_WRONLY, 0644));
    close(at);
    Names found = masked();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].size(), 40U * 201 + 8);
}

/// A minimal index of version 2 with one file.
std::string index_of(const std::string& path, const std::string& object_hex) {
    std::string bytes("DIRC\0\0\0\2\0\0\0\1", 12);
    std::string entry(24, '\0');
    entry += std::string("\0\0\x81\xa4", 4) + std::string(12, '\0');
    for (size_t i = 0; i < object_hex.size(); i += 2) {
        entry += static_cast<char>(std::stoi(object_hex.substr(i, 2), nullptr, 16));
    }
    entry += '\0';
    entry += static_cast<char>(path.size());
    entry += path;
    entry.append(8 - entry.size() % 8, '\0');
    return bytes + entry + std::string(20, '\0');
}

TEST_F(ScanRoots, OnlyAKnownContentIsTracked) {
    EXPECT_EQ(sha1_hex(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    EXPECT_EQ(sha1_hex(std::string(1000, 'a')), "291e9a6c66994949b57ba5e650361e98fc36b1ba");
    std::string blob = sha1_hex(std::string("blob 4\0test", 11));
    write(".ssh/config", "test");
    write(".ssh/id", "secret");
    write(".git/index", index_of(".ssh/config", blob));
    request_.top_level = root_;
    request_.index = root_ + "/.git/index";
    ScanFacts facts = scan();
    ASSERT_EQ(facts.masks.size(), 2U);
    EXPECT_TRUE(facts.masks[0].tracked);
    EXPECT_EQ(facts.masks[1].path, root_ + "/.ssh/id");
    EXPECT_FALSE(facts.masks[1].tracked);
    // The command can put any name into the index, but not the content that it cannot read.
    write(".git/index", index_of(".ssh/id", blob));
    facts = scan();
    ASSERT_EQ(facts.masks.size(), 2U);
    EXPECT_FALSE(facts.masks[1].tracked);
}

}  // namespace
}  // namespace sbx
