#include "macos/run/child.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <optional>

#include "macos/run/system.h"
#include "run/terminal.h"

namespace sbx {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// GNU timeout signals its child and then the whole group: two copies of one request.
constexpr milliseconds kSameSignal{100};
constexpr milliseconds kKillGrace{5000};
constexpr int kSweeps = 100;

constexpr int kForwarded[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH, SIGCONT, SIGTSTP};

struct Arrived {
    int number = 0;
    pid_t sender = 0;   ///< 0: the terminal
};

// A signal handler can reach nothing else.
int handler_pipe = -1;

void on_signal(int number, siginfo_t* info, void*) {
    int saved = errno;
    Arrived arrived{number, info->si_pid};
    (void)!write(handler_pipe, &arrived, sizeof arrived);
    errno = saved;
}

struct Failure {
    int error = 0;
    char step[24] = {};
};

[[noreturn]] void fail(int report, const char* step, int error) {
    Failure failure;
    failure.error = error;
    std::strncpy(failure.step, step, sizeof failure.step - 1);
    (void)!write(report, &failure, sizeof failure);
    _exit(125);
}

void limit(int report, int resource, const std::optional<int64_t>& value, const char* name) {
    if (!value) {
        return;
    }
    rlimit current{};
    getrlimit(resource, &current);
    auto wanted = static_cast<rlim_t>(*value);
    rlim_t hard = current.rlim_max == RLIM_INFINITY ? wanted : std::min(wanted, current.rlim_max);
    rlimit set = {hard, hard};
    if (setrlimit(resource, &set) != 0) {
        fail(report, name, errno);
    }
}

class Child {
  public:
    Child(const Plan& plan, const CallerSignals& caller, const ChildOptions& options)
        : plan_(plan), caller_(caller), options_(options) {}

    Outcome run() {
        int signals[2];
        int report[2];
        int release[2];
        if (pipe(signals) != 0 || pipe(report) != 0 || pipe(release) != 0) {
            return Outcome::failed({"io", std::string("pipe: ") + std::strerror(errno), ""});
        }
        Fd signal_read(signals[0]);
        Fd signal_write(signals[1]);
        Fd report_read(report[0]);
        Fd report_write(report[1]);
        Fd release_read(release[0]);
        Fd release_write(release[1]);
        for (int fd : {signals[0], signals[1], report[0], report[1], release[0], release[1]}) {
            fcntl(fd, F_SETFD, FD_CLOEXEC);
        }
        for (int fd : signals) {
            fcntl(fd, F_SETFL, O_NONBLOCK);
        }
        pid_ = fork();
        if (pid_ == 0) {
            release_write.reset();
            char go = 0;
            if (read(release_read.get(), &go, 1) != 1) {
                _exit(125);  // sbx is gone or gave up
            }
            become_command(report_write.get());
        }
        if (pid_ < 0) {
            return Outcome::failed({"io", std::string("fork: ") + std::strerror(errno), ""});
        }
        report_write.reset();
        release_read.reset();
        auto ready = options_.before_start ? options_.before_start(pid_) : Result<void>();
        if (!ready.ok()) {
            release_write.reset();
            waitpid(pid_, nullptr, 0);
            return Outcome::failed(ready.error());
        }
        if (auto released = write_all(release_write.get(), "g"); !released.ok()) {
            waitpid(pid_, nullptr, 0);
            return Outcome::failed(released.error());
        }
        if (auto failure = read_failure(report_read.get())) {
            waitpid(pid_, nullptr, 0);
            return Outcome::failed({"setup_failed", std::string(failure->step) + ": " + std::strerror(failure->error),
                                    "see sbx doctor"});
        }
        options_.status.started(pid_);
        handler_pipe = signal_write.get();
        install_handlers();
        if (plan_.limits.timeout_ms) {
            deadline_ = Clock::now() + milliseconds(*plan_.limits.timeout_ms);
        }
        watch(signal_read.get());
        sigset_t all;
        sigfillset(&all);
        sigprocmask(SIG_BLOCK, &all, nullptr);
        end_the_rest();
        return outcome();
    }

  private:
    [[noreturn]] void become_command(int report) const {
        for (int number : caller_.ignored) {
            signal(number, SIG_IGN);
        }
        if (plan_.new_session) {
            setsid();
        }
        const Limits& limits = plan_.limits;
        limit(report, RLIMIT_FSIZE, limits.file_size, "limits.fileSize");
        limit(report, RLIMIT_NOFILE, limits.open_files, "limits.openFiles");
        limit(report, RLIMIT_NPROC, limits.processes, "limits.processes");
        limit(report, RLIMIT_DATA, limits.memory, "limits.memory");
        if (chdir(plan_.cwd.c_str()) != 0) {
            fail(report, "chdir", errno);
        }
        std::vector<std::string> variables;
        for (const auto& entry : plan_.environment) {
            variables.push_back(entry.name + "=" + entry.value);
        }
        std::vector<char*> argv;
        std::vector<char*> environment;
        std::vector<std::string> words = options_.argv;
        for (auto& word : words) {
            argv.push_back(word.data());
        }
        for (auto& variable : variables) {
            environment.push_back(variable.data());
        }
        argv.push_back(nullptr);
        environment.push_back(nullptr);
        sigprocmask(SIG_SETMASK, &caller_.mask, nullptr);
        fail(report, "sandbox-exec",
             exec_with_descriptors(argv[0], argv.data(), environment.data(), plan_.keep_fds));
    }

    static std::optional<Failure> read_failure(int fd) {
        Failure failure;
        ssize_t length = 0;
        do {
            length = read(fd, &failure, sizeof failure);
        } while (length < 0 && errno == EINTR);
        return length == sizeof failure ? std::optional<Failure>(failure) : std::nullopt;
    }

    void install_handlers() const {
        struct sigaction action {};
        action.sa_sigaction = on_signal;
        action.sa_flags = SA_SIGINFO | SA_RESTART;
        sigfillset(&action.sa_mask);
        sigset_t handled;
        sigemptyset(&handled);
        for (int number : kForwarded) {
            sigaction(number, &action, nullptr);
            sigaddset(&handled, number);
        }
        sigaction(SIGCHLD, &action, nullptr);
        sigaddset(&handled, SIGCHLD);
        sigprocmask(SIG_UNBLOCK, &handled, nullptr);
    }

    void watch(int signals) {
        reap();  // it may have ended before the handlers were there
        while (!status_) {
            pollfd waiting{signals, POLLIN, 0};
            poll(&waiting, 1, poll_timeout());
            Arrived arrived;
            while (read(signals, &arrived, sizeof arrived) == sizeof arrived) {
                handle(arrived);
            }
            check_deadline();
        }
    }

    int poll_timeout() const {
        if (!deadline_) {
            return -1;
        }
        auto left = std::chrono::duration_cast<milliseconds>(*deadline_ - Clock::now()).count();
        return static_cast<int>(std::clamp<long long>(left + 1, 0, 1'000'000'000));
    }

    void check_deadline() {
        if (!deadline_ || Clock::now() < *deadline_) {
            return;
        }
        if (!timed_out_) {
            timed_out_ = true;
            kill(pid_, SIGTERM);
            kill(pid_, SIGCONT);  // a stopped command would not see the TERM
            deadline_ = Clock::now() + kKillGrace;
            return;
        }
        deadline_.reset();
        kill(pid_, SIGKILL);
    }

    void handle(const Arrived& arrived) {
        if (arrived.number == SIGCHLD) {
            reap();
            return;
        }
        bool from_terminal = arrived.sender == 0;
        stop_requested_ = stop_requested_ || arrived.number == SIGTSTP;
        if (from_terminal && !plan_.new_session) {
            return;  // the command is in the same group and has it already
        }
        auto now = Clock::now();
        auto last = last_forwarded_.find(arrived.number);
        if (last != last_forwarded_.end() && now - last->second < kSameSignal) {
            return;
        }
        last_forwarded_[arrived.number] = now;
        if (!status_) {
            kill(pid_, arrived.number);
        }
    }

    void reap() {
        int status = 0;
        while (!status_ && waitpid(pid_, &status, WNOHANG | WUNTRACED) == pid_) {
            if (WIFSTOPPED(status)) {
                stopped(WSTOPSIG(status));
            } else {
                status_ = status;
            }
        }
    }

    /// Stops with the command, so that the shell that waits for sbx sees a stopped job. A command that
    /// stops itself must not switch off its own time limit by that.
    void stopped(int number) {
        bool terminal_stop = number == SIGTTIN || number == SIGTTOU;
        if (deadline_ && !stop_requested_ && !terminal_stop) {
            return;
        }
        stop_requested_ = false;
        kill(getpid(), SIGSTOP);
        kill(pid_, SIGCONT);
    }

    /// There is no namespace that dies as one: what forked away is found by the profile it runs under.
    void end_the_rest() const {
        if (plan_.new_session) {
            kill(-pid_, SIGKILL);
        }
        for (int sweep = 0; sweep < kSweeps; ++sweep) {
            std::vector<pid_t> left = processes_of_run(options_.mark);
            if (left.empty()) {
                return;
            }
            for (pid_t pid : left) {
                kill(pid, SIGKILL);
            }
        }
    }

    Outcome outcome() const {
        if (timed_out_) {
            return {Outcome::Kind::TimedOut, 0,
                    {"timeout", "stopped: the time limit of " + std::to_string(*plan_.limits.timeout_ms) +
                                    " ms is over (limits.timeout)", ""}};
        }
        if (WIFSIGNALED(*status_)) {
            return {Outcome::Kind::Signalled, WTERMSIG(*status_), {}};
        }
        return {Outcome::Kind::Exited, WEXITSTATUS(*status_), {}};
    }

    const Plan& plan_;
    const CallerSignals& caller_;
    const ChildOptions& options_;
    pid_t pid_ = -1;
    std::optional<int> status_;
    std::optional<Clock::time_point> deadline_;
    std::map<int, Clock::time_point> last_forwarded_;
    bool timed_out_ = false;
    bool stop_requested_ = false;
};

}  // namespace

CallerSignals take_caller_signals() {
    CallerSignals caller;
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &caller.mask);
    for (int number = 1; number < NSIG; ++number) {
        struct sigaction action {};
        if (sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) {
            caller.ignored.push_back(number);
        }
    }
    signal(SIGCHLD, SIG_DFL);
    return caller;
}

Result<void> check_descriptor_mac(int fd) {
    struct stat status {};
    if (fstat(fd, &status) != 0) {
        return Error{"bad_descriptor", "descriptor " + std::to_string(fd) + " is not open", ""};
    }
    const char* what = S_ISDIR(status.st_mode) ? "a directory" : S_ISBLK(status.st_mode) ? "a block device" : nullptr;
    if (what != nullptr) {
        return Error{"bad_descriptor",
                     "descriptor " + std::to_string(fd) + " is " + what + ": it would lead out of the sandbox",
                     "redirect it to a file, a pipe or /dev/null"};
    }
    return {};
}

Outcome run_child(const Plan& plan, const CallerSignals& caller, const ChildOptions& options) {
    Terminal terminal;
    Outcome outcome = Child(plan, caller, options).run();
    terminal.restore_foreground();
    if (outcome.kind != Outcome::Kind::Exited) {
        terminal.restore_modes();
    }
    return outcome;
}

}  // namespace sbx
