// The exact text of error reports: golden/NAME.toml and golden/NAME.expected. With SBX_UPDATE_GOLDEN=1 in
// the environment the expected files are written anew.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "policy/load.h"

namespace sbx {
namespace {

std::string read(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

std::vector<std::string> names() {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(SBX_SOURCE_DIR "/tests/unit/policy/golden")) {
        if (entry.path().extension() == ".toml") {
            found.push_back(entry.path().stem().string());
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, Report) {
    HostFacts facts;
    facts.cwd = SBX_SOURCE_DIR "/tests/unit/policy/golden";
    facts.home = "/home/u";
    PolicyRequest request;
    request.only_named = true;
    request.named.push_back({false, GetParam() + ".toml"});
    std::string report = format_diagnostics(load_policy(facts, request).errors);
    std::filesystem::path expected = facts.cwd + "/" + GetParam() + ".expected";
    if (std::getenv("SBX_UPDATE_GOLDEN") != nullptr) {
        std::ofstream(expected, std::ios::binary) << report;
    }
    EXPECT_EQ(report, read(expected));
}

INSTANTIATE_TEST_SUITE_P(Reports, Golden, testing::ValuesIn(names()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace sbx
