#include "hold/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "hold/live.h"
#include "util/text.h"

namespace sbx::hold {
namespace {

constexpr size_t kLargest = size_t{2} << 30;
constexpr time_t kLongestWait = time_t{30} * 24 * 3600;  ///< seconds that a folder may be missing

/// What is in there is restored, so nobody else may have put it there.
bool is_own(const std::string& directory) {
    struct stat status {};
    return !directory.empty() && lstat(directory.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
           status.st_uid == geteuid() && (status.st_mode & 022) == 0;
}

/// Files appear under their names whole and locked; a run that sees one unlocked may take it for a lost one.
Fd write_entry(const std::string& path, const std::string& bytes) {
    std::string temporary = path + ".new";
    Fd file(open(temporary.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
    bool written = file.valid() && flock(file.get(), LOCK_EX | LOCK_NB) == 0 && write_all(file.get(), bytes).ok() &&
                   fsync(file.get()) == 0 && rename(temporary.c_str(), path.c_str()) == 0;
    if (!written) {
        unlink(temporary.c_str());
        return Fd();
    }
    return file;
}

bool is_old(const Fd& file) {
    struct stat status {};
    return fstat(file.get(), &status) == 0 && std::time(nullptr) - status.st_mtime > kLongestWait;
}

void sync_directory(const std::string& path) {
    Fd directory(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (directory.valid()) {
        (void)!fsync(directory.get());
    }
}

}  // namespace

Journal Journal::write(const std::string& directory, const std::vector<const Record*>& records) {
    Journal journal;
    if (records.empty() || directory.empty() || (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) ||
        !is_own(directory)) {
        return journal;
    }
    journal.directory_ = directory;
    for (size_t i = 0; i < records.size(); ++i) {
        timespec now{};
        clock_gettime(CLOCK_REALTIME, &now);  // a process number may come again after a restart
        std::string path = path_join(directory, std::to_string(now.tv_sec) + "-" + std::to_string(getpid()) + "-" +
                                                    std::to_string(i));
        if (Fd file = write_entry(path, encode_record(*records[i])); file.valid()) {
            journal.entries_.push_back({path, std::move(file), records[i]->place});
        }
    }
    sync_directory(directory);
    return journal;
}

void Journal::end(bool restored) {
    for (const Entry& entry : entries_) {
        if (restored || !entry.place.is_there()) {
            unlink(entry.path.c_str());
        }
    }
    rmdir(directory_.c_str());  // stays when other runs have entries in it
    entries_.clear();
}

Result<void> recover_journal(const std::string& directory, const std::string& root,
                             const std::function<Result<void>(const Record&)>& restore) {
    if (!is_own(directory)) {
        return {};
    }
    for (const std::string& name : live_files(directory, "")) {
        std::string path = path_join(directory, name);
        Fd file(open(path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
        if (!file.valid() || others_live(file)) {
            continue;
        }
        auto bytes = read_all(file.get(), kLargest);
        Record record;
        bool whole = bytes.ok() && decode_record(*bytes, record);
        if (whole && record.place.is_there()) {
            if (!path_within(record.place.root, root) && !path_within(root, record.place.root)) {
                continue;
            }
            SBX_CHECK(restore(record));
        } else if (whole && !is_old(file)) {
            continue;  // its disk may not be mounted yet
        }
        unlink(path.c_str());
    }
    rmdir(directory.c_str());
    return {};
}

}  // namespace sbx::hold
