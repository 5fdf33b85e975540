#include "linux/run/waiting_bwrap.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

#include "embedded/inner_program.h"
#include "linux/start/prelude.h"
#include "util/text.h"

namespace sbx {
namespace {

Error failure(const char* what) { return Error{"io", std::string(what) + ": " + std::strerror(errno), ""}; }

/// Nobody can change the bytes any more.
Result<void> fill(const Fd& memory, std::string_view bytes) {
    SBX_CHECK(write_all(memory.get(), bytes));
    if (lseek(memory.get(), 0, SEEK_SET) != 0 ||
        fcntl(memory.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0) {
        return failure("memfd");
    }
    return {};
}

}  // namespace

WaitingBwrap::WaitingBwrap(BwrapNeeds needs, const start::Started& started, const int* data)
    : needs_(std::move(needs)),
      pid_(started.pid),
      options_(started.options),
      program_(started.program),
      block_(started.block),
      socket_(started.socket),
      errors_(started.errors),
      elsewhere_(started.elsewhere) {
    static_assert(sizeof allowed_ >= sizeof started.allowed);
    std::memcpy(&allowed_, started.allowed, sizeof started.allowed);
    for (size_t i = 0; i < needs_.data.size(); ++i) {
        data_.emplace_back(needs_.data[i], Fd(data[i]));
    }
}

Result<std::unique_ptr<WaitingBwrap>> WaitingBwrap::start(const BwrapNeeds& needs) {
    const LaunchDescriptors& fds = needs.descriptors;
    std::vector<std::string> words = {needs.program, "--args", std::to_string(fds.arguments), "--"};
    words.insert(words.end(), needs.command.begin(), needs.command.end());
    std::vector<const char*> argv;
    for (const auto& word : words) {
        argv.push_back(word.c_str());
    }
    argv.push_back(nullptr);
    start::Request request;
    request.program = needs.program.c_str();
    request.argv = argv.data();
    std::copy(std::begin(fds.stdio), std::end(fds.stdio), request.stdio);
    request.arguments = fds.arguments;
    request.inner_program = fds.inner_program;
    request.inner_block = fds.inner_block;
    request.socket = fds.socket;
    request.data = needs.data.data();
    request.data_count = static_cast<int>(needs.data.size());
    request.keep = needs.keep.data();
    request.keep_count = static_cast<int>(needs.keep.size());
    for (int number : {fds.arguments, fds.inner_program, fds.inner_block, fds.socket, fds.stdio[0], fds.stdio[1],
                       fds.stdio[2]}) {
        request.floor = std::max(request.floor, number + 1);
    }
    for (const auto* numbers : {&needs.data, &needs.keep}) {
        for (int number : *numbers) {
            request.floor = std::max(request.floor, number + 1);
        }
    }
    start::Started started;
    std::vector<int> data(needs.data.size(), -1);
    start::start_bwrap(request, started, data.data());
    std::unique_ptr<WaitingBwrap> waiting(new WaitingBwrap(needs, started, data.data()));
    if (started.pid < 0) {
        errno = started.error;
        return failure(started.what);
    }
    SBX_CHECK(waiting->give_program());
    return waiting;
}

std::unique_ptr<WaitingBwrap> WaitingBwrap::begun_at_entry() {
    start::Prelude& prelude = start::prelude();
    start::Started started = std::exchange(prelude.started, {});
    DescriptorNumbers numbers({});
    BwrapNeeds needs;
    needs.program = start::kProgram;
    needs.descriptors = numbers.for_launch();
    needs.command = inner_command(needs.descriptors, {});
    for (int i = 0; i < start::kSpareData; ++i) {
        needs.data.push_back(numbers.next());
    }
    std::unique_ptr<WaitingBwrap> waiting(new WaitingBwrap(needs, started, prelude.data));
    std::fill(std::begin(prelude.data), std::end(prelude.data), -1);
    return started.pid > 0 ? std::move(waiting) : nullptr;
}

Result<void> WaitingBwrap::give_program() { return fill(program_, embedded::inner_program()); }

Result<void> WaitingBwrap::free_processors() {
    if (elsewhere_ && sched_setaffinity(pid_, sizeof allowed_, &allowed_) != 0) {
        return failure("sched_setaffinity");
    }
    return {};
}

bool WaitingBwrap::fits(const BwrapNeeds& needs) const {
    BwrapNeeds same = needs;
    same.data = needs_.data;
    return pid_ > 0 && same == needs_ &&
           std::includes(needs_.data.begin(), needs_.data.end(), needs.data.begin(), needs.data.end());
}

Result<WaitingBwrap::Ends> WaitingBwrap::go(const std::vector<std::string>& options, const std::string& block,
                                            const std::vector<LinuxLaunch::Data>& data) {
    SBX_CHECK(fill(block_, block));
    for (const auto& entry : data) {
        auto place =
            std::find_if(data_.begin(), data_.end(), [&](const auto& known) { return known.first == entry.fd; });
        SBX_CHECK(fill(place->second, entry.content));
    }
    std::string text;
    for (const auto& option : options) {
        text += option;
        text += '\0';
    }
    // The supervisor finds out, and says why, when bwrap is gone already. Half a text, because sbx was killed, would
    // make a weaker sandbox; nothing starts in it, for the inner stage waits for sbx's word.
    (void)write_all(options_.get(), text);
    Ends ends{std::exchange(pid_, -1), std::move(socket_), std::move(errors_)};
    options_.reset();
    program_.reset();
    block_.reset();
    data_.clear();
    return ends;
}

void WaitingBwrap::cancel() {
    if (pid_ > 0) {
        kill(pid_, SIGKILL);
        while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
        }
        pid_ = -1;
    }
}

void end_early_start() { WaitingBwrap::begun_at_entry(); }

std::shared_ptr<EarlyStart> start_early(const HostFacts& facts, const std::vector<int>& kept) {
    auto open = [](int fd) { return fcntl(fd, F_GETFD) >= 0; };
    // What the caller has closed would be taken for open once a descriptor of sbx's own stands there.
    std::unique_ptr<WaitingBwrap> begun = WaitingBwrap::begun_at_entry();
    if (facts.linux_.bwrap.empty() || !open(0) || !open(1) || !open(2) ||
        !std::all_of(kept.begin(), kept.end(), open)) {
        return nullptr;
    }
    DescriptorNumbers numbers(kept);
    BwrapNeeds needs;
    needs.program = facts.linux_.bwrap;
    needs.keep = kept;
    needs.descriptors = numbers.for_launch();
    needs.command = inner_command(needs.descriptors, facts.linux_);
    for (int i = 0; i < start::kSpareData; ++i) {
        needs.data.push_back(numbers.next());
    }
    if (begun != nullptr && begun->fits(needs) && begun->give_program().ok()) {
        return begun;
    }
    begun.reset();
    auto started = WaitingBwrap::start(needs);
    return started.ok() ? std::shared_ptr<EarlyStart>(std::move(*started)) : nullptr;
}

}  // namespace sbx
