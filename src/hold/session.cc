#include "hold/session.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "hold/live.h"
#include "hold/process_end.h"
#include "host/resolve.h"
#include "run/lean.h"
#include "util/text.h"

namespace sbx::hold {
namespace {

void close_all_but(std::vector<int> kept) {
    std::sort(kept.begin(), kept.end());
    unsigned first = 0;
    for (int fd : kept) {
        unsigned number = static_cast<unsigned>(fd);
        if (number > first) {
            close_descriptors(first, number - 1);
        }
        first = number + 1;
    }
    close_descriptors(first, ~0U);
}

Result<Before> take_before(const HandoverPlan& plan, const std::string& state_directory,
                           const std::string& root, const Known& known) {
    Fd directory(open(root.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!directory.valid()) {
        return Error{"io", printable_line(root) + ": " + std::strerror(errno), ""};
    }
    SnapshotOptions options = options_for(plan);
    options.others = &known.others;
    Before before;
    options.followed = &before.followed;
    before.files = take_snapshot(directory.get(), root, options);
    if (known.repository) {
        before.tips = known.tips;  // what appeared since, a live run may have committed
        return before;
    }
    std::vector<std::string> doubtful = doubtful_tips(state_directory, plan.common_dir);
    for (std::string& tip : ref_tips(plan.git_dir, plan.common_dir)) {
        if (!std::binary_search(doubtful.begin(), doubtful.end(), tip)) {
            before.tips.push_back(std::move(tip));
        }
    }
    return before;
}

/// What links of hand-over names in one root lead to in another one: hand-over files there.
std::vector<std::string> led_to_other_roots(const HandoverPlan& plan) {
    std::vector<std::string> targets;
    for (const std::string& root : plan.roots) {
        Fd directory(open(root.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (!directory.valid()) {
            continue;  // said where the baseline is taken
        }
        std::vector<std::string> outside;
        SnapshotOptions options = options_for(plan);
        options.led_outside = &outside;
        take_snapshot(directory.get(), root, options);
        for (const std::string& named : outside) {
            std::string target = real_path(named).value_or(named);
            bool elsewhere = std::any_of(plan.roots.begin(), plan.roots.end(), [&](const std::string& other) {
                return other != root && target != other && path_within(target, other);
            });
            if (elsewhere && std::find(targets.begin(), targets.end(), target) == targets.end()) {
                targets.push_back(target);
            }
        }
    }
    return targets;
}

enum class Word : int32_t {
    Watch = 1,
    Done = 2,
    Unrestored = 3  ///< what could not be restored must be known after a power failure too
};

constexpr int kShortRun = 1000;  ///< ms; runs that end before have no journal

struct Order {
    Word word;
    int32_t pid;
};

}  // namespace

Result<std::unique_ptr<Session>> Session::begin(const Plan& whole, const Folders& folders, CatFile cat_file,
                                                const Terminal* terminal) {
    std::unique_ptr<Session> session(new Session);
    session->plan_ = whole.handover;
    const HandoverPlan& plan = session->plan_;
    if (plan.roots.size() > 1) {
        std::vector<std::string> more = led_to_other_roots(plan);
        session->plan_.hooks.insert(session->plan_.hooks.end(), more.begin(), more.end());
    }
    session->folders_ = folders;
    const std::string& live = folders.live;
    session->cat_file_ = std::move(cat_file);
    if (!plan.roots.empty() || !whole.placeholders.empty()) {  // else the guardian is there for the terminal only
        SBX_CHECK(make_live_directory(live));
    }
    for (const auto& root : plan.roots) {
        if (path_within(live, root)) {
            SBX_ASSIGN(Fd turn, take_turn(live));
            tidy(live);
            return Error{
                "setup_failed",
                "the command could write " + printable_line(live) + ", where sbx keeps what it restores",
                "grant a smaller folder than " + printable_line(root)};
        }
    }
    std::map<std::string, std::vector<Placeholder>> by_directory;
    for (const Placeholder& placeholder : whole.placeholders) {
        by_directory[path_parent(placeholder.path)].push_back(placeholder);
    }
    for (const auto& [directory, wanted] : by_directory) {
        SBX_ASSIGN(Placeholders made, Placeholders::acquire(live, directory, wanted));
        session->placeholders_.push_back(std::move(made));
    }
    SBX_ASSIGN(session->reserved_, ReservedNames::open(whole.reserved));
    for (const auto& root : plan.roots) {
        auto recover = [&](const Record& lost) { return session->restore_after(lost); };
        auto take = [&](const Known& known) -> Result<Before> {
            SBX_CHECK(recover_journal(folders.journal, root, recover));
            return take_before(plan, folders.state, root, known);
        };
        SBX_ASSIGN(Baseline baseline, Baseline::join(live, root, plan, take, recover));
        session->roots_.emplace_back(root, std::move(baseline));
    }
    int pair[2];
    // A stream: macOS has no other local socket that tells of the other end's close.
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) {
        return Error{"io", std::string("socketpair: ") + std::strerror(errno), ""};
    }
    session->guardian_.reset(pair[0]);
    Fd other(pair[1]);
    fcntl(pair[0], F_SETFD, FD_CLOEXEC);
    fcntl(pair[1], F_SETFD, FD_CLOEXEC);
    pid_t pid = fork();
    if (pid < 0) {
        return Error{"io", std::string("fork: ") + std::strerror(errno), "the limit on processes is reached"};
    }
    if (pid == 0) {
        session->guardian_.reset();
        session->guard(other.get(), terminal);
        _exit(0);
    }
    session->guardian_pid_ = pid;
    return session;
}

std::vector<std::string> Session::unkept() const {
    std::vector<std::string> paths;
    for (const auto& [root, baseline] : roots_) {
        for (const auto& [path, item] : baseline.before().files) {
            std::string full = path_join(root, path);
            bool changeable = item.kind == Item::Kind::File && !item.whole && would_be_held(plan_, item) &&
                              std::none_of(plan_.read_only.begin(), plan_.read_only.end(),
                                           [&](const std::string& guarded) { return path_within(full, guarded); });
            if (changeable) {
                paths.push_back(std::move(full));
            }
        }
    }
    return paths;
}

/// The guardian. It holds the locks of the baselines with sbx (a lock belongs to the open file, which a
/// fork shares), so nobody takes the run for ended before the roots are restored.
void Session::guard(int messages, const Terminal* terminal) {
    // A Ctrl-C, a hang-up or a kill of the process group is not for the guardian. But only a process of the
    // terminal's session may change its foreground group.
    bool at_terminal = terminal != nullptr && terminal->descriptor() >= 0;
    if (!at_terminal || setpgid(0, 0) != 0) {
        setsid();
    }
    // The caller's pipes and sbx's end of the sandbox's socket must end with sbx.
    std::vector<int> kept = {messages};
    if (at_terminal) {
        kept.push_back(terminal->descriptor());
    }
    for (const auto& [root, baseline] : roots_) {
        kept.push_back(baseline.descriptor());
    }
    for (const auto& placeholders : placeholders_) {
        kept.push_back(placeholders.descriptor());
    }
    for (int directory : reserved_.directories()) {
        kept.push_back(directory);
    }
    close_all_but(kept);
    while (open("/dev/null", O_RDWR) < STDERR_FILENO) {  // nothing else may be taken for 0 to 2
    }
    ProcessEnd sandbox;
    Fd mounts;  // let go of last, here, where nobody waits
    Order order{};
    std::optional<Journal> journal;
    bool watching = false;
    for (;;) {
        if (watching && !journal) {
            pollfd waiting{messages, POLLIN, 0};
            if (poll(&waiting, 1, kShortRun) == 0) {
                journal = write_journal();
                drop_program_pages();
            }
        }
        ssize_t length = recv(messages, &order, sizeof order, MSG_WAITALL);
        if (length < 0 && errno == EINTR) {
            continue;
        }
        if (length == sizeof order && order.word == Word::Watch) {
            sandbox.watch(order.pid);
            mounts = keep_mounts(order.pid);
            drop_program_pages();
            watching = true;
            continue;
        }
        if (length != sizeof order) {
            break;
        }
        if (journal) {
            journal->end(order.word == Word::Done);
        }
        return;
    }
    sandbox.wait();
    if (at_terminal) {
        terminal->restore_after_kill();
        close(terminal->descriptor());  // who waits for the terminal's end need not wait for the rest
    }
    bool restored = finish().failed.empty();
    if (journal) {
        journal->end(restored);
    }
}

Journal Session::write_journal() const {
    std::vector<const Record*> records;
    for (const auto& [root, baseline] : roots_) {
        records.push_back(&baseline.record());
    }
    return Journal::write(folders_.journal, records);
}

Result<void> Session::watch(pid_t inner) {
    Order order{Word::Watch, inner};
    if (send(guardian_.get(), &order, sizeof order, MSG_NOSIGNAL) != sizeof order) {
        return Error{"setup_failed", "the guardian of hand-over files is gone", "something killed it; run the command again"};
    }
    return {};
}

/// After a run that was lost with its guardian.
Result<void> Session::restore_after(const Record& lost) {
    // The sandbox in which git is asked shows this run's repository only.
    bool same_repository = lost.plan.common_dir == plan_.common_dir;
    SBX_ASSIGN(Report report, restore(lost, folders_.state, same_repository ? cat_file_ : CatFile()));
    report.lost_run = !report.held.empty() || !report.aside.empty() || !report.reported.empty();
    recovered_.add(std::move(report));
    return {};
}

Report Session::finish() {
    Report all = std::exchange(recovered_, {});
    all.removed = reserved_.clear();
    for (auto& [root, baseline] : roots_) {
        const Record& record = baseline.record();
        auto left = baseline.leave([&]() -> Result<void> {
            SBX_ASSIGN(Report report, restore(record, folders_.state, cat_file_));
            std::string failure = report.failed.empty() ? "" : report.failed.front();
            all.add(std::move(report));
            return failure.empty() ? Result<void>() : Error{"io", failure, ""};
        });
        unrestored_ = unrestored_ || !left.ok();
        if (!left.ok() && all.failed.empty()) {
            all.failed.push_back(left.error().message);
        }
    }
    roots_.clear();
    for (auto& placeholders : placeholders_) {
        placeholders.release();
    }
    placeholders_.clear();
    return all;
}

Session::~Session() {
    finish();  // does nothing after the first time; before the command started there is nothing to restore
    if (guardian_pid_ > 0) {
        Order order{unrestored_ ? Word::Unrestored : Word::Done, 0};
        (void)!send(guardian_.get(), &order, sizeof order, MSG_NOSIGNAL);
        // It has let go of everything that anybody waits for; its end would cost each run half a millisecond.
        guardian_.reset();
    }
}

}  // namespace sbx::hold
