#include "linux/run/cgroup.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "host/resolve.h"
#include "linux/render/limits.h"
#include "util/text.h"

namespace sbx {
namespace {

constexpr const char* kPrefix = "sbx-";
constexpr int64_t kPeriodMicroseconds = 100'000;

Error failure(const std::string& what) {
    return Error{"limit_failed", "control group " + printable_line(what) + ": " + std::strerror(errno),
                 "leave the limit out, or start sbx in a control group of its own: systemd-run --user --scope -p Delegate=yes sbx run ..."};
}

/// Groups of runs whose sbx was killed before it could remove them.
void sweep(const std::string& parent) {
    std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir(parent.c_str()), closedir);
    for (dirent* entry = nullptr; directory && (entry = readdir(directory.get())) != nullptr;) {
        if (std::strncmp(entry->d_name, kPrefix, std::strlen(kPrefix)) != 0) {
            continue;
        }
        long pid = std::strtol(entry->d_name + std::strlen(kPrefix), nullptr, 10);
        if (pid > 0 && kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH) {
            rmdir(path_join(parent, entry->d_name).c_str());
        }
    }
}

/// The number after `word` in a file of "word number" lines; 0 when it is not there.
uint64_t counted(const std::string& file, const std::string& word) {
    for (const auto& line : split(small_file(file, 4096).value_or(""), '\n')) {
        if (line.rfind(word + " ", 0) == 0) {
            return std::strtoull(line.c_str() + word.size() + 1, nullptr, 10);
        }
    }
    return 0;
}

}  // namespace

Cgroups::~Cgroups() {
    for (const auto& directory : directories_) {
        // The last process is dead, but the kernel may not have let go of it yet.
        for (int attempt = 0; rmdir(directory.c_str()) != 0 && errno == EBUSY && attempt < 200; ++attempt) {
            poll(nullptr, 0, 1);
        }
    }
}

Result<void> Cgroups::add(const std::string& parent,
                          const std::vector<std::pair<std::string, std::string>>& settings) {
    sweep(parent);
    std::string directory = path_join(parent, kPrefix + std::to_string(getpid()));
    if (mkdir(directory.c_str(), 0755) != 0 && errno != EEXIST) {
        return failure(directory);
    }
    directories_.push_back(directory);
    for (const auto& [name, value] : settings) {
        std::string file = path_join(directory, name);
        Fd fd(open(file.c_str(), O_WRONLY | O_CLOEXEC));
        if (!fd.valid() && errno == ENOENT && name == "memory.swap.max") {
            continue;  // a kernel without swap accounting
        }
        if (!fd.valid() || !write_all(fd.get(), value).ok()) {
            return failure(file);
        }
    }
    Fd entrance(open(path_join(directory, "cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
    if (!entrance.valid()) {
        return failure(directory);
    }
    entrances_.push_back(std::move(entrance));
    return {};
}

Result<Cgroups> Cgroups::make(const Plan& plan, const HostFacts& facts) {
    Cgroups groups;
    const Limits& limits = plan.limits;
    std::vector<std::pair<std::string, std::string>> settings;
    if (limits.memory && has_controller(facts, "memory")) {
        settings.emplace_back("memory.max", std::to_string(*limits.memory));
        settings.emplace_back("memory.swap.max", "0");
    }
    if (limits.cpus && has_controller(facts, "cpu")) {
        auto quota = std::max<long long>(1000, std::llround(*limits.cpus * static_cast<double>(kPeriodMicroseconds)));
        settings.emplace_back("cpu.max", std::to_string(quota) + " " + std::to_string(kPeriodMicroseconds));
    }
    bool count = limits.processes && facts.uid == 0;
    std::string most = std::to_string(limits.processes.value_or(0) + kOwnProcesses);
    if (count && has_controller(facts, "pids")) {
        settings.emplace_back("pids.max", most);
    } else if (count && !facts.linux_.pids_cgroup.empty()) {
        SBX_CHECK(groups.add(facts.linux_.pids_cgroup, {{"pids.max", most}}));
    }
    if (!settings.empty()) {
        SBX_CHECK(groups.add(facts.linux_.cgroup, settings));
    }
    return groups;
}

std::vector<int> Cgroups::entrances() const {
    std::vector<int> numbers;
    for (const Fd& fd : entrances_) {
        numbers.push_back(fd.get());
    }
    return numbers;
}

std::vector<std::string> Cgroups::reached() const {
    std::vector<std::string> keys;
    for (const auto& directory : directories_) {
        if (counted(path_join(directory, "memory.events"), "oom_kill") > 0) {
            keys.emplace_back("limits.memory");
        }
        if (counted(path_join(directory, "pids.events"), "max") > 0) {
            keys.emplace_back("limits.processes");
        }
    }
    return keys;
}

}  // namespace sbx
