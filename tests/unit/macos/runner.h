// Drives the Mac's runner on Linux: a temporary world with the fake sandbox-exec, and runs in processes
// of their own, as sbx itself would be.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "macos/run/private_places.h"
#include "macos/run/run_seatbelt.h"
#include "run/status_writer.h"
#include "unit/macos/fixture.h"
#include "util/fd.h"

namespace sbx::test {

class World {
  public:
    World() {
        std::string pattern = std::filesystem::temp_directory_path().string() + "/sbx-mac-XXXXXX";
        root_ = std::filesystem::canonical(mkdtemp(pattern.data())).string();
        for (const char* name : {"work", "cache", "state"}) {
            std::filesystem::create_directory(root_ + "/" + name);
        }
        std::filesystem::copy_file(SBX_SOURCE_DIR "/tests/tools/fake-sandbox-exec", root_ + "/sandbox-exec");
        tools.sandbox_exec = root_ + "/sandbox-exec";
        tools.probe = "/bin/true";
        facts.platform = Platform::Mac;
        facts.mac.sandbox_exec = true;
        facts.mac.run_directory = root_ + "/cache/sbx/run-" + std::to_string(getpid()) + "-0a";
        facts.state_dir = root_ + "/state";
        facts.live_dir = root_ + "/live";
        plan.backend = Backend::SandboxExec;
        plan.cwd = plan.worktree = root_ + "/work";
        plan.home = facts.mac.run_directory + "/home";
        plan.environment = {{"PATH", "/usr/bin:/bin", {}}, {"HOME", plan.home, {}}};
        plan.mounts = {bound("/", Purpose::System, Access::Read), bound(root_, Purpose::Worktree, Access::Write),
                       bound(plan.home, Purpose::Home, Access::Write)};
    }
    ~World() { remove_tree(root_); }
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    std::string path(const std::string& name) const { return root_ + "/" + name; }
    void write(const std::string& name, const std::string& text, mode_t mode = 0644) const {
        std::ofstream(path(name)) << text;
        chmod(path(name).c_str(), mode);
    }
    std::string read(const std::string& name) const {
        std::ifstream file(path(name));
        return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    }
    void shell(const std::string& script) { plan.argv = {"sh", "-c", script}; }

    Plan plan;
    HostFacts facts;
    RunOptions options;
    SeatbeltTools tools;

  private:
    std::string root_;
};

/// One run, in a process that ends as sbx would.
class Running {
  public:
    explicit Running(World& world, bool stdin_is_directory = false) {
        int out[2];
        int messages[2];
        EXPECT_EQ(pipe(out), 0);
        EXPECT_EQ(pipe(messages), 0);
        pid_ = fork();
        if (pid_ == 0) {
            // A shell starts what runs in the background with these ignored, and the command inherits that.
            signal(SIGINT, SIG_DFL);
            signal(SIGQUIT, SIG_DFL);
            int in = open(stdin_is_directory ? "/" : "/dev/null", O_RDONLY);
            dup2(in, 0);
            dup2(out[1], 1);
            dup2(messages[1], 2);
            for (int fd : {in, out[0], out[1], messages[0], messages[1]}) {
                close(fd);
            }
            Outcome outcome = run_seatbelt(world.plan, world.facts, world.options, world.tools);
            std::string text = outcome.error.code + ": " + outcome.error.message + "\n" + outcome.error.hint + "\n";
            if (!outcome.error.code.empty()) {
                (void)write_all(2, text);
            }
            StatusWriter(world.options.json_status_fd).ended(outcome);
            finish(outcome);
        }
        close(out[1]);
        close(messages[1]);
        out_.reset(out[0]);
        errors_.reset(messages[0]);
    }
    ~Running() {
        if (!ended_) {
            kill(pid_, SIGKILL);
            waitpid(pid_, nullptr, 0);
        }
    }

    pid_t pid() const { return pid_; }

    /// Blocks until the command has printed `text`.
    void wait_for(const std::string& text) {
        while (output.find(text) == std::string::npos && read_into(out_.get(), output)) {
        }
        ASSERT_NE(output.find(text), std::string::npos) << output;
    }

    /// Status as from waitpid; `output` and `errors` are complete then.
    int wait() {
        int status = 0;
        waitpid(pid_, &status, 0);
        ended_ = true;
        while (read_into(out_.get(), output)) {
        }
        while (read_into(errors_.get(), errors)) {
        }
        return status;
    }
    int exit_code() {
        int status = wait();
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }

    std::string output;
    std::string errors;

  private:
    static bool read_into(int fd, std::string& text) {
        char buffer[4096];
        ssize_t length = ::read(fd, buffer, sizeof buffer);
        if (length > 0) {
            text.append(buffer, static_cast<size_t>(length));
        }
        return length > 0;
    }

    pid_t pid_ = -1;
    bool ended_ = false;
    Fd out_;
    Fd errors_;
};

}  // namespace sbx::test
