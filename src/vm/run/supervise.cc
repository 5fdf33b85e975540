#include "vm/run/supervise.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>

#include "vm/run/signals.h"
#include "vm/run/tool.h"

namespace sbx::vm {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kSameSignal{100};  // GNU timeout signals its child and then the whole group
constexpr milliseconds kKillGrace{5000};
constexpr int kKillCommandMs = 10'000;
// At the third INT or TERM the tool gives up and leaves its VM.
constexpr int kToolPatience = 2;

/// The signals with the same number on Linux, where the command ran, and on macOS.
constexpr int kSharedSignals[] = {SIGHUP, SIGINT,  SIGQUIT, SIGILL,  SIGTRAP, SIGABRT,
                                  SIGFPE, SIGKILL, SIGSEGV, SIGPIPE, SIGALRM, SIGTERM};

const char* signal_name(int number) {
    switch (number) {
        case SIGHUP: return "HUP";
        case SIGINT: return "INT";
        case SIGQUIT: return "QUIT";
        case SIGUSR1: return "USR1";
        case SIGUSR2: return "USR2";
        case SIGTERM: return "TERM";
        default: return nullptr;
    }
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
    std::vector<char*> list;
    for (const auto& word : words) {
        list.push_back(const_cast<char*>(word.c_str()));
    }
    list.push_back(nullptr);
    return list;
}

[[noreturn]] void become_tool(const std::vector<std::string>& words, const Supervision& supervision,
                              int life) {
    // The handlers vanish with the exec; the mask of the caller was never changed.
    if (supervision.output >= 0) {
        dup2(supervision.output, STDOUT_FILENO);
    }
    if (!supervision.stdio.interactive) {
        int null = open("/dev/null", O_RDONLY);
        dup2(null, STDIN_FILENO);
    }
    long limit = sysconf(_SC_OPEN_MAX);
    for (int fd = 3; fd < (limit < 0 || limit > 65536 ? 65536 : limit); ++fd) {
        if (fd != life) {
            close(fd);
        }
    }
    fcntl(life, F_SETFD, 0);
    auto argv = pointers(words);
    auto envp = pointers(supervision.environment);
    execve(words[0].c_str(), argv.data(), envp.data());
    _exit(127);
}

class Supervisor {
  public:
    Supervisor(const ContainerLaunch& launch, const Supervision& supervision, pid_t tool,
               SignalEvents& signals)
        : launch_(launch), supervision_(supervision), tool_(tool), signals_(signals) {
        if (launch.timeout_ms) {
            deadline_ = Clock::now() + milliseconds(*launch.timeout_ms);
        }
    }

    Outcome run() {
        while (!ended_) {
            pollfd waiting = {signals_.fd(), POLLIN, 0};
            poll(&waiting, 1, poll_timeout());
            while (auto event = signals_.next()) {
                take(*event);
            }
            check_deadline();
        }
        return outcome();
    }

    bool tool_killed() const { return WIFSIGNALED(status_); }

  private:
    int poll_timeout() const {
        if (!deadline_) {
            return -1;
        }
        auto left = std::chrono::duration_cast<milliseconds>(*deadline_ - Clock::now()).count();
        return static_cast<int>(std::clamp<long long>(left + 1, 0, 1'000'000'000));
    }

    bool started() const { return access(container_id_file(launch_).c_str(), F_OK) == 0; }

    void take(const SignalEvents::Event& event) {
        if (event.number == SIGCHLD) {
            reap();
            return;
        }
        auto now = Clock::now();
        auto& last = last_[static_cast<size_t>(event.number)];
        bool copy = last && now - *last < kSameSignal;
        last = now;
        if (copy || event.number == SIGWINCH) {
            if (!copy && !event.from_terminal) {
                kill(tool_, SIGWINCH);
            }
            return;
        }
        requested_ = event.number;
        if (event.from_terminal) {
            // The tool has it already and passes on what it passes on: not HUP and QUIT.
            to_tool_ += event.number == SIGINT ? 1 : 0;
            if (event.number == SIGINT) {
                return;
            }
        }
        pass_on(event.number);
    }

    void pass_on(int number) {
        bool ending = number == SIGTERM || number == SIGINT;
        bool tool_forwards = ending || number == SIGUSR1 || number == SIGUSR2;
        // With a terminal the tool forwards nothing at all.
        if (tool_forwards && !supervision_.stdio.terminal && (!ending || to_tool_ < kToolPatience)) {
            to_tool_ += ending ? 1 : 0;
            kill(tool_, number);
            return;
        }
        bool delivered = false;
        if (started()) {
            auto answer = ask_tool({launch_.program, "kill", "--signal", signal_name(number), launch_.name},
                                   supervision_.environment, kKillCommandMs);
            delivered = answer && answer->status == 0;
        }
        if (!delivered && number != SIGUSR1 && number != SIGUSR2) {
            // Nothing runs that could decide otherwise, or it cannot be told.
            kill(tool_, SIGKILL);
        }
    }

    void check_deadline() {
        if (ended_ || !deadline_ || Clock::now() < *deadline_) {
            return;
        }
        if (!timed_out_) {
            timed_out_ = true;
            deadline_ = Clock::now() + kKillGrace;
            pass_on(SIGTERM);
            return;
        }
        deadline_.reset();
        kill(tool_, SIGKILL);
    }

    void reap() {
        int status = 0;
        if (waitpid(tool_, &status, WNOHANG) == tool_) {
            status_ = status;
            ended_ = true;
        }
    }

    Outcome outcome() const {
        if (timed_out_) {
            return {Outcome::Kind::TimedOut,
                    0,
                    {"timeout",
                     "stopped: the time limit of " + std::to_string(*launch_.timeout_ms) +
                         " ms is over (limits.timeout)",
                     ""}};
        }
        if (WIFSIGNALED(status_)) {
            if (requested_ != 0) {
                return {Outcome::Kind::Signalled, requested_, {}};
            }
            return Outcome::failed(
                {"backend_failed",
                 "Apple's container tool was killed by signal " + std::to_string(WTERMSIG(status_)),
                 "the VM " + launch_.name + " is deleted"});
        }
        Outcome outcome = tool_outcome(WEXITSTATUS(status_), started());
        if (outcome.kind == Outcome::Kind::Failed && requested_ != 0) {
            return {Outcome::Kind::Signalled, requested_, {}};
        }
        return outcome;
    }

    const ContainerLaunch& launch_;
    const Supervision& supervision_;
    pid_t tool_;
    SignalEvents& signals_;
    std::optional<Clock::time_point> deadline_;
    std::array<std::optional<Clock::time_point>, 65> last_{};
    int to_tool_ = 0;
    int requested_ = 0;
    int status_ = 0;
    bool ended_ = false;
    bool timed_out_ = false;
};

}  // namespace

Outcome tool_outcome(int status, bool started) {
    if (!started) {
        return Outcome::failed({"backend_failed",
                                "the VM could not be started (Apple's container tool ended with status " +
                                    std::to_string(status) + ")",
                                "its own message is above; see also: container system logs"});
    }
    auto shared = std::find(std::begin(kSharedSignals), std::end(kSharedSignals), status - 128);
    if (shared != std::end(kSharedSignals)) {
        return {Outcome::Kind::Signalled, *shared, {}};
    }
    return {Outcome::Kind::Exited, status, {}};
}

Outcome supervise(const ContainerLaunch& launch, const Supervision& supervision, Guardian& guardian) {
    auto signals = SignalEvents::start();
    if (!signals) {
        return Outcome::failed(signals.error());
    }
    auto words = container_words(launch, supervision.stdio);
    pid_t tool = fork();
    if (tool == 0) {
        become_tool(words, supervision, guardian.life_fd());
    }
    if (tool < 0) {
        return Outcome::failed({"io", std::string("fork: ") + std::strerror(errno), ""});
    }
    guardian.watch(tool);
    supervision.status.started(tool);
    Supervisor supervisor(launch, supervision, tool, *signals);
    Outcome outcome = supervisor.run();
    guardian.finish(supervisor.tool_killed());
    return outcome;
}

}  // namespace sbx::vm
