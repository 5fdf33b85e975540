#include "policy/schema.h"

#include <gtest/gtest.h>

#include <set>

#include "policy/json_schema.h"
#include "policy/suggest.h"

namespace sbx {
namespace {

TEST(Schema, DefaultsOfTheTableAreThoseOfThePolicy) {
    Policy policy;
    for (const Key& key : schema()) {
        EXPECT_EQ(key_value(key, policy).text, key.default_text) << key.name;
    }
}

TEST(Schema, EveryKeyIsDescribedOnce) {
    std::set<std::string_view> names;
    for (const Key& key : schema()) {
        EXPECT_TRUE(names.insert(key.name).second) << key.name;
        EXPECT_EQ(key.help.back(), '.') << key.name;
        EXPECT_FALSE(key.since.empty()) << key.name;
        bool choice = key.type == KeyType::Choice || key.type == KeyType::Network || key.type == KeyType::OnOff;
        EXPECT_TRUE(!choice || !key.values.empty()) << key.name;
        EXPECT_EQ(find_key(key.name), &key);
    }
    EXPECT_EQ(find_key("sandbox"), nullptr);
    EXPECT_TRUE(is_table_name("sandbox.env"));
    EXPECT_FALSE(is_table_name("sandbox.backend"));
}

TEST(Schema, JsonSchemaNamesEveryKey) {
    std::string text = json_schema();
    for (const Key& key : schema()) {
        EXPECT_NE(text.find("\"" + std::string(key.leaf()) + "\": {"), std::string::npos) << key.name;
    }
}

TEST(Suggest, NearestKey) {
    std::vector<std::string_view> names = {"allowNetwork", "allowedReadPaths", "allowedWritePaths", "network", "home"};
    EXPECT_EQ(nearest("allow_network", names), "allowNetwork");
    EXPECT_EQ(nearest("allow-network", names), "allowNetwork");
    EXPECT_EQ(nearest("ALLOWNETWORK", names), "allowNetwork");
    EXPECT_EQ(nearest("allowed_read_paths", names), "allowedReadPaths");
    EXPECT_EQ(nearest("netwrok", names), "network");
    EXPECT_EQ(nearest("hmoe", names), "home");
    EXPECT_EQ(nearest("zzz", names), "");
    EXPECT_EQ(nearest("", names), "");
    EXPECT_EQ(nearest(std::string(100000, 'a'), names), "");
}

}  // namespace
}  // namespace sbx
