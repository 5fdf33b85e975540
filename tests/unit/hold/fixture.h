// A project, a state directory and a runtime directory of its own, and plain functions as "the command".
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>

#include "hold/session.h"
#include "hold/store.h"

namespace sbx::hold {

namespace fs = std::filesystem;

class HoldTest : public testing::Test {
  protected:
    HoldTest() {
        std::string name = testing::TempDir() + "sbx-hold-XXXXXX";
        base_ = fs::canonical(mkdtemp(name.data())).string();
        project_ = base_ + "/project";
        state_ = base_ + "/state";
        runtime_ = base_ + "/runtime";
        live_ = runtime_ + "/sbx";
        fs::create_directory(project_);
        fs::create_directory(runtime_);
        chmod(runtime_.c_str(), 0700);
        plan_.handover.handover = Handover::Hold;
        plan_.handover.roots = {project_};
    }

    ~HoldTest() override {
        (void)!system(("chmod -R u+rwX '" + base_ + "' && rm -rf '" + base_ + "'").c_str());
    }

    std::string at(const std::string& path) const { return path.empty() ? project_ : project_ + "/" + path; }

    void write(const std::string& path, const std::string& text, mode_t mode = 0644) const {
        fs::create_directories(fs::path(at(path)).parent_path());
        std::ofstream(at(path), std::ios::binary | std::ios::trunc) << text;
        chmod(at(path).c_str(), mode);
    }

    static std::string read_file(const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    }

    std::string read(const std::string& path) const { return read_file(at(path)); }
    bool there(const std::string& path) const {
        return fs::symlink_status(at(path)).type() != fs::file_type::not_found;
    }

    /// Everything below the project: kind, mode and content by path.
    std::map<std::string, std::string> tree() const {
        std::map<std::string, std::string> all;
        for (const auto& entry : fs::recursive_directory_iterator(project_)) {
            std::string path = entry.path().string().substr(project_.size() + 1);
            struct stat status {};
            lstat(entry.path().c_str(), &status);
            std::string mode = std::to_string(status.st_mode & 07777) + " ";
            all[path] = S_ISLNK(status.st_mode)   ? "link " + fs::read_symlink(entry.path()).string()
                        : S_ISDIR(status.st_mode) ? "directory " + mode
                        : S_ISREG(status.st_mode) ? "file " + mode + read_file(entry.path().string())
                                                  : "special";
        }
        return all;
    }

    std::unique_ptr<Session> begin() {
        auto session = Session::begin(plan_, folders(), cat_file_);
        if (!session.ok()) {
            ADD_FAILURE() << session.error().message;
            return nullptr;
        }
        return std::move(*session);
    }

    Folders folders() const { return {live_, state_, base_ + "/journal"}; }

    /// Runs `command` in a process of its own.
    static void perform(const std::function<void()>& command) {
        pid_t pid = fork();
        if (pid == 0) {
            command();
            _exit(0);
        }
        int status = 0;
        waitpid(pid, &status, 0);
        EXPECT_TRUE(WIFEXITED(status));
    }

    /// One whole run.
    Report run(const std::function<void()>& command) {
        auto session = begin();
        if (!session) {
            return {};
        }
        perform(command);
        return session->finish();
    }

    std::vector<Held> held() const {
        auto all = load(state_, "");
        EXPECT_TRUE(all.ok());
        return all.ok() ? *all : std::vector<Held>{};
    }

    /// The command's change is undone, byte for byte, and kept.
    void expect_held(const std::function<void()>& command, const std::string& path,
                     const std::string& content) {
        auto before = tree();
        Report report = run(command);
        EXPECT_EQ(tree(), before);
        EXPECT_TRUE(report.failed.empty()) << report.failed.front();
        EXPECT_NE(std::find(report.held.begin(), report.held.end(), path), report.held.end()) << path;
        EXPECT_EQ(held_content(path), content);
        EXPECT_TRUE(fs::is_empty(runtime_)) << "live state left behind";
    }

    /// Content of the newest held version of `path`.
    std::string held_content(const std::string& path) const {
        std::string content = "(not held)";
        for (const Held& one : held()) {
            auto found = one.after.find(path);
            content = found == one.after.end() ? content : found->second.content;
        }
        return content;
    }

    std::string base_;
    std::string project_;
    std::string state_;
    std::string runtime_;
    std::string live_;
    Plan plan_;
    CatFile cat_file_;
};

}  // namespace sbx::hold
