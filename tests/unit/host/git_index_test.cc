// The index as git writes it, and as an attacker might (H11: tracked files stay readable).
#include "host/git_index.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace sbx {
namespace {

std::string big_endian(uint64_t value, size_t size) {
    std::string bytes;
    for (size_t i = size; i-- > 0;) {
        bytes += static_cast<char>(value >> (8 * i));
    }
    return bytes;
}

std::string variable(size_t value) {
    std::string bytes(1, static_cast<char>(value & 0x7f));
    while ((value >>= 7) != 0) {
        --value;
        bytes.insert(bytes.begin(), static_cast<char>(0x80 | (value & 0x7f)));
    }
    return bytes;
}

std::string make_index(uint32_t version, size_t hash_size, const std::vector<std::string>& paths) {
    std::string bytes = "DIRC" + big_endian(version, 4) + big_endian(paths.size(), 4);
    std::string before;
    for (size_t i = 0; i < paths.size(); ++i) {
        const std::string& path = paths[i];
        std::string entry(24, '\1');
        entry += big_endian(0100644, 4) + std::string(12, '\2') + std::string(hash_size, static_cast<char>('a' + i));
        bool extended = version >= 3 && i % 2 == 1;
        uint64_t length = path.size() < 0xfff ? path.size() : 0xfff;
        entry += big_endian(length | (extended ? 0x4000 : 0), 2) + (extended ? big_endian(0x2000, 2) : "");
        if (version == 4) {
            size_t common = 0;
            while (common < before.size() && common < path.size() && before[common] == path[common]) {
                ++common;
            }
            entry += variable(before.size() - common) + path.substr(common) + '\0';
            before = path;
        } else {
            entry += path;
            entry.append(8 - entry.size() % 8, '\0');
        }
        bytes += entry;
    }
    return bytes + "TREE" + big_endian(3, 4) + "xyz" + std::string(hash_size, '\3');
}

bool read(const std::string& bytes, std::vector<std::string>& paths, size_t* hash_size = nullptr) {
    return read_git_index(bytes, [&](const IndexEntry& entry) {
        EXPECT_EQ(entry.mode, 0100644U);
        EXPECT_EQ(entry.object.front(), static_cast<char>('a' + paths.size()));
        if (hash_size != nullptr) {
            *hash_size = entry.object.size();
        }
        paths.emplace_back(entry.path);
    });
}

TEST(GitIndex, ReadsEveryVersionAndHash) {
    std::vector<std::string> paths = {".env",   "a",     "a/b",  "a/bc/d", "abcdefgh", std::string(300, 'x'),
                                      std::string(5000, 'y')};
    for (uint32_t version : {2U, 3U, 4U}) {
        for (size_t hash_size : {size_t{20}, size_t{32}}) {
            std::vector<std::string> found;
            size_t found_size = 0;
            EXPECT_TRUE(read(make_index(version, hash_size, paths), found, &found_size)) << version << " " << hash_size;
            EXPECT_EQ(found, paths) << version;
            EXPECT_EQ(found_size, hash_size);
        }
    }
}

TEST(GitIndex, ReadsAnEmptyOne) {
    std::vector<std::string> found;
    EXPECT_TRUE(read(make_index(2, 20, {}), found));
    EXPECT_TRUE(found.empty());
}

TEST(GitIndex, RefusesOtherBytes) {
    std::vector<std::string> found;
    EXPECT_FALSE(read("", found));
    EXPECT_FALSE(read(std::string(100, '\0'), found));
    EXPECT_FALSE(read(make_index(1, 20, {"a"}), found));
    EXPECT_FALSE(read(make_index(5, 20, {"a"}), found));
    std::string many = make_index(2, 20, {"a"});
    many.replace(8, 4, "\xff\xff\xff\xff");
    EXPECT_FALSE(read(many, found));
    EXPECT_TRUE(found.empty());
}

TEST(GitIndex, SurvivesEveryTruncationAndDamage) {
    std::mt19937 random(11);
    for (uint32_t version : {2U, 3U, 4U}) {
        std::string whole = make_index(version, 20, {".env", "a/b", "a/bc", std::string(200, 'z')});
        for (size_t size = 0; size < whole.size(); ++size) {
            read_git_index(whole.substr(0, size), [](const IndexEntry&) {});
        }
        for (int round = 0; round < 5000; ++round) {
            std::string damaged = whole;
            for (int changes = 0; changes < 3; ++changes) {
                damaged[random() % damaged.size()] = static_cast<char>(random());
            }
            read_git_index(damaged, [](const IndexEntry& entry) { EXPECT_LT(entry.path.size(), 100000U); });
        }
    }
}

}  // namespace
}  // namespace sbx
