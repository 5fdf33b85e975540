#include "macos/run/denial_log.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "macos/render/messages.h"
#include "macos/run/system.h"
#include "util/text.h"

namespace sbx {
namespace {

constexpr int kReadyMs = 5000;
constexpr int kLateMs = 100;                    // the log delivers with a delay
constexpr size_t kMostText = size_t{16} << 20;  // a command can provoke any number of denials

}  // namespace

Result<DenialLog> DenialLog::start(const std::string& tool, const std::string& tag) {
    int pair[2];
    if (pipe(pair) != 0) {
        return Error{"io", std::string("pipe: ") + std::strerror(errno), ""};
    }
    DenialLog log;
    log.tag_ = tag;
    log.output_.reset(pair[0]);
    Fd write_end(pair[1]);
    log.pid_ = fork();
    if (log.pid_ < 0) {
        return Error{"io", std::string("fork: ") + std::strerror(errno), ""};
    }
    if (log.pid_ == 0) {
        setsid();  // the terminal's signals are for the command
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, nullptr);
        int null = open("/dev/null", O_RDWR);
        dup2(null, 0);
        dup2(write_end.get(), 1);
        dup2(null, 2);
        std::vector<std::string> words = {tool, "stream", "--style", "ndjson", "--predicate", denial_predicate()};
        std::vector<char*> argv;
        for (auto& word : words) {
            argv.push_back(word.data());
        }
        argv.push_back(nullptr);
        char* environment[] = {nullptr};
        exec_with_descriptors(argv[0], argv.data(), environment, {});
        _exit(127);
    }
    write_end.reset();
    while (log.text_.find('\n') == std::string::npos) {
        if (!log.read_some(kReadyMs)) {
            return Error{"io", tool + " does not start to listen", "run without --log-denials"};
        }
    }
    return log;
}

DenialLog::DenialLog(DenialLog&& other) noexcept
    : output_(std::move(other.output_)),
      pid_(std::exchange(other.pid_, -1)),
      tag_(std::move(other.tag_)),
      text_(std::move(other.text_)) {}

DenialLog::~DenialLog() {
    if (pid_ > 0) {
        kill(pid_, SIGKILL);
        while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
}

bool DenialLog::read_some(int timeout_ms) {
    pollfd waiting{output_.get(), POLLIN, 0};
    if (poll(&waiting, 1, timeout_ms) <= 0) {
        return false;
    }
    std::array<char, 8192> buffer;
    ssize_t length = read(output_.get(), buffer.data(), buffer.size());
    if (length <= 0) {
        return false;
    }
    if (text_.size() < kMostText) {
        text_.append(buffer.data(), static_cast<size_t>(length));
    }
    return true;
}

std::vector<std::string> DenialLog::stop() {
    while (read_some(kLateMs) && text_.size() < kMostText) {
    }
    std::vector<std::string> out;
    for (const auto& line : split(text_, '\n')) {
        auto denial = is_log_ready(line) ? std::nullopt : denial_of(line, tag_);
        if (denial && std::find(out.begin(), out.end(), *denial) == out.end()) {
            out.push_back(*denial);
        }
    }
    return out;
}

}  // namespace sbx
