#include "linux/run/supervisor.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>
#include <vector>

#include "hold/process_end.h"
#include "linux/run/bwrap_errors.h"
#include "linux/run/directory_watch.h"
#include "linux/run/receive.h"
#include "linux/run/run_end.h"
#include "linux/run/stop_like.h"
#include "linux/wire/block.h"
#include "run/console.h"
#include "run/lean.h"
#include "util/text.h"

namespace sbx {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// GNU timeout signals its child and then the whole group: two copies of one request.
constexpr milliseconds kSameSignal{100};
constexpr milliseconds kKillGrace{5000};
// How long a request to end may wait for the news that the command has started.
constexpr milliseconds kStartGrace{1000};
// A command that ends sooner would only make sbx load its pages again.
constexpr milliseconds kShortRun{200};

class Supervisor {
  public:
    Supervisor(Spawned& spawned, const SupervisorOptions& options) : spawned_(spawned), options_(options) {}

    Outcome run() {
        sigset_t all;
        sigfillset(&all);
        Fd signals(signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK));
        if (!signals.valid()) {
            kill_sandbox();
            return Outcome::failed({"io", std::string("signalfd: ") + std::strerror(errno), ""});
        }
        if (options_.timeout_ms) {
            deadline_ = Clock::now() + milliseconds(*options_.timeout_ms);
        }
        reap();  // started early, bwrap may have ended while SIGCHLD was still ignored
        // The command's status and the end of process 1, with everything inside, are all that is to be known:
        // bwrap itself ends while the caller goes on.
        while (!ended_ && !(inner_gone_ && end_.result)) {
            std::array<pollfd, 4> waiting{};
            waiting[0] = {signals.get(), POLLIN, 0};
            waiting[1] = {socket_open_ ? spawned_.socket.get() : -1, POLLIN, 0};
            waiting[2] = {guarding() ? options_.guard->table() : -1, POLLPRI, 0};
            waiting[3] = {inner_gone_ ? -1 : inner_end_.descriptor(), POLLIN, 0};
            poll(waiting.data(), waiting.size(), poll_timeout());
            bool table_changed = waiting[2].revents != 0;
            inner_gone_ = inner_gone_ || waiting[3].revents != 0;
            read_signals(signals.get());
            look_at_names(table_changed);
            read_messages();
            check_deadline();
        }
        read_messages();
        if (!inner_gone_) {
            end_orphans();  // bwrap was killed; what it had started may not be bound to its life yet
        }
        inner_end_.wait();
        if (options_.reserved != nullptr && options_.reserved->taken()) {
            reserved_name_taken();
        }
        if (options_.guard != nullptr && end_.started && options_.guard->replaced()) {
            repair_guards();
        }
        return outcome_of(end_, options_.timeout_ms, spawned_.errors.get());
    }

  private:
    int poll_timeout() const {
        long long longest = watch_.interval_ms();
        std::optional<Clock::time_point> nearest = deadline_;
        for (const auto& other : {early_deadline_, settled_}) {
            if (other && (!nearest || *other < *nearest)) {
                nearest = other;
            }
        }
        if (!nearest) {
            return static_cast<int>(longest);
        }
        auto left = std::chrono::duration_cast<milliseconds>(*nearest - Clock::now()).count();
        long long until_deadline = std::clamp<long long>(left + 1, 0, 1'000'000'000);
        return static_cast<int>(longest < 0 ? until_deadline : std::min(longest, until_deadline));
    }

    /// The guard watches from the command's start on, but for the time in which all is stopped anyway.
    bool guarding() const { return options_.guard != nullptr && end_.started && !freezing_; }

    /// Before the command may run.
    void watch_names() {
        if (options_.reserved != nullptr) {
            for (int directory : options_.reserved->directories()) {
                watch_.add(directory);
            }
        }
        if (options_.guard != nullptr) {
            for (int directory : options_.guard->directories()) {
                watch_.add(directory);
            }
        }
    }

    void look_at_names(bool table_changed) {
        bool look = std::exchange(names_changed_, false) || watch_.interval_ms() >= 0;
        if (look && options_.reserved != nullptr && options_.reserved->taken()) {
            reserved_name_taken();
            return;
        }
        if (guarding() && (look || table_changed) && options_.guard->disturbed(table_changed)) {
            freeze();
        }
    }

    void freeze() {
        freezing_ = true;
        send(wire::Kind::Freeze, 0);
    }

    /// Everything inside has stopped.
    void frozen(int still_running) {
        if (!freezing_) {
            return;
        }
        if (still_running != 0) {
            give_up({"guard_lost", "a protected file was replaced on the host, and the command could not be stopped",
                     ""});
            return;
        }
        if (stop_when_frozen_ != 0) {
            stop_like(std::exchange(stop_when_frozen_, 0));
        }
        if (options_.guard->disturbed_meanwhile() && !repair_guards()) {
            return;
        }
        freezing_ = false;
        send(wire::Kind::Thaw, 0);
    }

    bool repair_guards() {
        auto notes = options_.guard->repair();
        if (!notes.ok()) {
            give_up(notes.error());
            return false;
        }
        for (const auto& note : *notes) {
            if (options_.notes) {
                say(note);
            }
        }
        return true;
    }

    void reserved_name_taken() {
        std::vector<std::string> paths = options_.reserved->clear();
        give_up({"guard_lost",
                 "the command made " + printable_line(paths.empty() ? "a reserved name" : paths.front()) +
                     ", which would lead git on the host to settings of the command's choice; it is removed, and the "
                     "run has ended",
                 ""});
    }

    void give_up(Error error) {
        end_.failure = std::move(error);
        kill_sandbox();
    }

    void check_deadline() {
        if (settled_ && Clock::now() >= *settled_) {
            settled_.reset();
            drop_program_pages();
        }
        if (early_deadline_ && Clock::now() >= *early_deadline_) {
            early_deadline_.reset();
            kill_sandbox();
        }
        if (!deadline_ || Clock::now() < *deadline_) {
            return;
        }
        if (!end_.timed_out && end_.started) {
            end_.timed_out = true;
            forward(SIGTERM);
            forward(SIGCONT);  // a stopped command would not see the TERM
            deadline_ = Clock::now() + kKillGrace;
            return;
        }
        end_.timed_out = true;
        deadline_.reset();
        kill_sandbox();
    }

    /// Process 1 inside dies with bwrap (--die-with-parent) and takes everything with it.
    void kill_sandbox() const {
        if (ended_) {
            return;
        }
        if (inner_is_up_) {
            kill(spawned_.pid, SIGKILL);
        } else {
            kill_starting_bwrap(spawned_.pid);
        }
    }

    void send(wire::Kind kind, int value) const {
        wire::Message message{};
        message.kind = kind;
        message.value = value;
        message.stops = stops_;
        (void)::send(spawned_.socket.get(), &message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT);
    }

    void forward(int number) const { send(wire::Kind::Signal, number); }

    void read_signals(int fd) {
        signalfd_siginfo info{};
        while (read(fd, &info, sizeof info) == sizeof info) {
            int number = static_cast<int>(info.ssi_signo);
            if (number == SIGCHLD) {
                reap();
            } else if (number == DirectoryWatch::kSignal && info.ssi_code == SI_KERNEL) {
                names_changed_ = true;
            } else if (number == SIGTTIN || number == SIGTTOU || number == SIGPIPE) {
                continue;
            } else if (info.ssi_code == SI_KERNEL && end_.started) {
                // From the terminal: the command, being in the same group, has it already. But a terminal
                // that goes away tells only the leader of the session, which may be sbx; and HUP, then CONT, for
                // a stopped job whose shell has gone, do not reach a shell inside that suspended itself.
                if (number == SIGHUP || number == SIGCONT) {
                    forward(number);
                }
                stop_requested_ = stop_requested_ || number == SIGTSTP;
            } else {
                from_someone(number);
            }
        }
    }

    void from_someone(int number) {
        auto now = Clock::now();
        auto& last = last_forwarded_[static_cast<size_t>(number)];
        if (last && now - *last < kSameSignal) {
            return;
        }
        last = now;
        stop_requested_ = stop_requested_ || number == SIGTSTP;
        if (end_.started) {
            forward(number);
        } else {
            before_start(number);
        }
    }

    /// The command may run already although its start has not been reported yet, and then only it decides.
    void before_start(int number) {
        early_signals_.push_back(number);
        if (number != SIGTERM && number != SIGINT && number != SIGHUP && number != SIGQUIT) {
            return;
        }
        end_.early_end = number;
        if (!released_ && socket_open_) {
            // The command will not be released: the inner stage ends as soon as it sees that sbx is gone.
            shutdown(spawned_.socket.get(), SHUT_RDWR);
            socket_open_ = false;
        }
        if (!early_deadline_) {
            early_deadline_ = Clock::now() + kStartGrace;
        }
    }

    void command_started(pid_t inner) {
        end_.started = true;
        options_.status.started(inner);
        early_deadline_.reset();
        end_.early_end = 0;
        for (int number : early_signals_) {
            forward(number);
        }
        settled_ = Clock::now() + kShortRun;
    }

    void reap() {
        int status = 0;
        pid_t pid = waitpid(spawned_.pid, &status, WNOHANG);
        if (pid == spawned_.pid) {
            ended_ = true;
        }
    }

    void read_messages() {
        while (socket_open_) {
            Received received = receive(spawned_.socket.get());
            if (received.state == Received::State::Nothing) {
                return;
            }
            if (received.state == Received::State::End) {
                socket_open_ = false;
                return;
            }
            if (!inner_is_up_) {
                inner_is_up_ = true;
                inner_end_.watch(received.sender);
            }
            handle(received.message, received.sender);
        }
    }

    void handle(const wire::Message& message, pid_t inner) {
        switch (message.kind) {
            case wire::Kind::Ready:
                if (options_.guard != nullptr && !released_) {
                    auto prepared = options_.guard->prepare(inner);
                    if (!prepared.ok()) {
                        give_up(prepared.error());
                        return;
                    }
                }
                if (options_.before_release && !released_) {
                    auto ready = options_.before_release(inner);
                    if (!ready.ok()) {
                        give_up(ready.error());
                        return;
                    }
                }
                if (!released_) {
                    watch_names();
                }
                released_ = true;
                send(wire::Kind::Release, 0);
                break;
            case wire::Kind::Started:
                if (!end_.started) {
                    command_started(inner);
                }
                break;
            case wire::Kind::Exited: end_.result = message.value; break;
            case wire::Kind::Stopped: stopped(message.value); break;
            case wire::Kind::Frozen: frozen(message.value); break;
            case wire::Kind::ExecFailed:
            case wire::Kind::SetupFailed: end_.failed_message = message; break;
            default: break;
        }
    }

    /// Stops with the command, so that the shell that waits for sbx sees a stopped job. A command that
    /// stops itself must not switch off its own time limit by that.
    void stopped(int number) {
        ++stops_;
        bool terminal_stop = number == SIGTTIN || number == SIGTTOU;
        if (deadline_ && !stop_requested_ && !terminal_stop) {
            return;
        }
        stop_requested_ = false;
        last_forwarded_[SIGCONT].reset();
        last_forwarded_[SIGTSTP].reset();
        if (options_.guard != nullptr && !freezing_) {
            // What runs on in other process groups must not run while nobody watches the guards.
            stop_when_frozen_ = number;
            freeze();
            return;
        }
        stop_like(number);
        // Continued. The CONT is still to be read, and passed on unless another stop has overtaken it.
    }

    Spawned& spawned_;
    RunEnd end_;
    hold::ProcessEnd inner_end_;
    const SupervisorOptions& options_;
    std::optional<Clock::time_point> deadline_;
    std::array<std::optional<Clock::time_point>, 65> last_forwarded_{};
    DirectoryWatch watch_;
    std::vector<int> early_signals_;  ///< arrived before the news that the command has started
    std::optional<Clock::time_point> early_deadline_;
    std::optional<Clock::time_point> settled_;  ///< when sbx gives back the memory that only the start needed
    uint32_t stops_ = 0;              ///< Stopped messages
    bool socket_open_ = true;
    bool inner_gone_ = false;         ///< process 1 inside, and so everything else in there
    bool inner_is_up_ = false;
    bool released_ = false;
    bool ended_ = false;
    bool names_changed_ = false;      ///< a name in a watched directory came or went
    bool stop_requested_ = false;
    bool freezing_ = false;           ///< asked the inner stage to stop everything
    int stop_when_frozen_ = 0;        ///< the signal; 0: it does not stop
};

}  // namespace

Outcome supervise(Spawned& spawned, const CallerState& caller, const SupervisorOptions& options,
                  const Terminal& terminal) {
    // Only the command may hold the caller's pipes.
    for (int fd = 0; fd < 2; ++fd) {
        if (caller.stdio_open[fd]) {
            ::close(fd);
        }
    }
    Outcome outcome = Supervisor(spawned, options).run();
    if (outcome.kind != Outcome::Kind::Exited) {
        wait_for_bwrap(spawned);  // in the same group, it would be taken for another user of the terminal
    }
    terminal.restore_foreground();
    if (outcome.kind != Outcome::Kind::Exited) {
        terminal.restore_modes();
    }
    return outcome;
}

}  // namespace sbx
