#include "linux/run/mount_guard.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <thread>

#include "linux/run/protect.h"
#include "util/text.h"

namespace sbx {
namespace {

constexpr int kRounds = 8;
constexpr std::chrono::milliseconds kSettle{2};

bool everything(size_t) { return true; }

/// Two descriptors a file: more than the usual 1,024 with many submodules.
void allow_descriptors(size_t count) {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < count + 64) {
        limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, count + 64);
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

}  // namespace

Result<void> MountGuard::prepare(pid_t inner) {
    SBX_ASSIGN(entry_, SandboxEntry::open(inner));
    std::string path = "/proc/" + std::to_string(inner) + "/mountinfo";
    table_.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!table_.valid()) {
        return Error{"setup_failed", path + ": " + std::strerror(errno), "see sbx doctor"};
    }
    return entry_->run([this]() -> Result<void> {
        SBX_CHECK(make_protective(mounts_, everything));
        forget_events();
        // A host that renamed one of them in this very moment has not been noticed by anything else.
        for (const ProtectiveMount& mount : mounts_) {
            Protection protection = mount.guard ? look_at_protection(mount) : Protection::Intact;
            if (protection == Protection::Exposed || (protection == Protection::Gone && !mount.may_be_gone)) {
                return Error{"setup_failed", "protecting " + printable_line(mount.path) + ": it was replaced", "try again"};
            }
        }
        return {};
    });
}

Result<void> MountGuard::remember_files() {
    for (const ProtectiveMount& mount : mounts_) {
        if (!mount.guard) {
            continue;
        }
        allow_descriptors(files_.size() * 3);
        auto file = HostFile::open(mount.path, mount.may_be_gone);
        if (file.ok()) {
            files_.push_back(std::move(*file));
        } else if (!mount.may_be_gone || file.error().code != "gone") {
            return file.error();
        }
    }
    return {};
}

std::vector<int> MountGuard::directories() const {
    std::vector<int> directories;
    for (const HostFile& file : files_) {
        directories.push_back(file.directory());
    }
    return directories;
}

void MountGuard::forget_events() const {
    pollfd table{table_.get(), POLLPRI, 0};
    poll(&table, 1, 0);  // looking at it clears it
}

bool MountGuard::files_changed() const {
    return std::any_of(files_.begin(), files_.end(), [](const HostFile& file) { return !file.unchanged(); });
}

bool MountGuard::mounts_lost() const {
    bool lost = false;
    auto looked = entry_->run([this, &lost]() -> Result<void> {
        lost = std::any_of(mounts_.begin(), mounts_.end(), [](const ProtectiveMount& mount) {
            Protection protection = look_at_protection(mount);
            return protection == Protection::Exposed || (mount.guard && !mount.may_be_gone && protection == Protection::Gone);
        });
        return {};
    });
    return lost || !looked.ok();
}

bool MountGuard::disturbed(bool table_changed) {
    if (!table_.valid()) {
        return false;
    }
    forget_events();
    return files_changed() || (table_changed && mounts_lost());
}

bool MountGuard::disturbed_meanwhile() {
    if (!table_.valid()) {
        return false;
    }
    forget_events();
    return files_changed() || mounts_lost();
}

Result<std::vector<std::string>> MountGuard::repair() {
    timespec stopped_at{};
    clock_gettime(CLOCK_REALTIME, &stopped_at);
    std::vector<std::string> notes;
    auto add = [&notes](const std::string& note) {
        if (!note.empty() && std::find(notes.begin(), notes.end(), note) == notes.end()) {
            notes.push_back(note);
        }
    };
    for (int round = 0; round < kRounds; ++round) {
        for (HostFile& file : files_) {
            SBX_ASSIGN(std::string note, file.put_right(stopped_at));
            add(note);
        }
        auto covered = entry_->run([&]() -> Result<void> {
            std::vector<bool> exposed(mounts_.size());
            for (size_t i = 0; i < mounts_.size(); ++i) {
                exposed[i] = look_at_protection(mounts_[i]) == Protection::Exposed;
                bool mask = mounts_[i].kind == ProtectiveMount::Kind::MaskFile ||
                            mounts_[i].kind == ProtectiveMount::Kind::MaskDirectory;
                if (exposed[i] && mask) {
                    add(printable_line(mounts_[i].path) +
                        " was replaced on the host and is hidden again; the command may have read it in between");
                }
            }
            return make_protective(mounts_, [&](size_t i) { return exposed[i]; });
        });
        if (!covered.ok() && covered.error().code != "changed_meanwhile") {
            return covered.error();
        }
        // Another run in the same worktree that repairs the same file takes this mount away once more.
        // Everything here stays stopped until they have all come to rest.
        std::this_thread::sleep_for(kSettle * (1 << round));
        if (covered.ok() && !disturbed_meanwhile()) {
            return notes;
        }
    }
    return Error{"guard_lost", "a protected file is replaced on the host again and again", ""};
}

void MountGuard::leave() {
    entry_.reset();
    table_.reset();
}

}  // namespace sbx
