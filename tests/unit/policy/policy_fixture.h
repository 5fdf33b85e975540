// A temporary directory with a project in it, and the caller's facts that go with it.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "host/resolve.h"
#include "policy/load.h"

namespace sbx {

class PolicyTest : public testing::Test {
  protected:
    PolicyTest() {
        std::string name = testing::TempDir() + "sbx-policy-XXXXXX";
        root_ = real_path(mkdtemp(name.data())).value();
        for (const char* directory : {"/home", "/project", "/project/sub", "/project/.git", "/config", "/state"}) {
            std::filesystem::create_directory(root_ + directory);
        }
        write("project/.git/HEAD", "ref: refs/heads/main\n");
        facts_.cwd = root_ + "/project";
        facts_.cwd_logical = facts_.cwd;
        facts_.home = root_ + "/home";
        facts_.config_dir = root_ + "/config/sbx";
        facts_.state_dir = root_ + "/state/sbx";
        facts_.executable = "/nowhere/bin/sbx";
    }
    ~PolicyTest() override { std::filesystem::remove_all(root_); }

    /// Writes a file below the temporary root, mode 0644.
    std::string write(const std::string& path, const std::string& text) {
        std::string full = root_ + "/" + path;
        std::filesystem::create_directories(std::filesystem::path(full).parent_path());
        std::ofstream(full, std::ios::binary) << text;
        chmod(full.c_str(), 0644);
        return full;
    }

    /// A policy file named with --policy and nothing else.
    LoadedPolicy load(const std::string& text) {
        write("project/p.toml", text);
        PolicyRequest request;
        request.only_named = true;
        request.named.push_back({false, "p.toml"});
        return load_policy(facts_, request);
    }

    /// Flags alone, each as {flag, key, value}.
    LoadedPolicy load_flags(std::vector<PolicyRequest::Setting> settings) {
        PolicyRequest request;
        request.only_named = true;
        request.settings = std::move(settings);
        return load_policy(facts_, request);
    }

    /// A policy that is found in the project.
    LoadedPolicy load_project(const std::string& text) {
        write("project/sbx.toml", text);
        return load_policy(facts_, {});
    }

    std::string root_;
    HostFacts facts_;
};

inline std::string errors_of(const LoadedPolicy& loaded) { return format_diagnostics(loaded.errors); }

}  // namespace sbx
