#include "policy/trust.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

#include "policy/sha256.h"
#include "util/fd.h"
#include "util/text.h"

namespace sbx {
namespace {

constexpr size_t kMaxRecord = 8192;
constexpr size_t kDigest = 64;

Error io_error(const std::string& path, const char* action) {
    return {"io", printable_line(path) + ": cannot be " + action + ": " + std::strerror(errno), ""};
}

/// Records count only when nobody else could have written them.
bool is_private(int fd, mode_t type) {
    struct stat status {};
    return fstat(fd, &status) == 0 && (status.st_mode & S_IFMT) == type && status.st_uid == geteuid() &&
           (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

std::optional<TrustRecord> read_record(const std::string& file) {
    Fd fd(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!fd.valid() || !is_private(fd.get(), S_IFREG)) {
        return std::nullopt;
    }
    auto text = read_all(fd.get(), kMaxRecord);
    if (!text || text->size() < kDigest + 3 || (*text)[kDigest] != ' ' || text->back() != '\n') {
        return std::nullopt;
    }
    return TrustRecord{text->substr(kDigest + 1, text->size() - kDigest - 2), text->substr(0, kDigest)};
}

Result<void> make_directories(const std::string& path) {
    std::string made;
    for (const std::string& component : path_components(path)) {
        made += "/" + component;
        if (mkdir(made.c_str(), 0700) != 0 && errno != EEXIST) {
            return io_error(made, "made");
        }
    }
    Fd fd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (!fd.valid() || !is_private(fd.get(), S_IFDIR)) {
        return Error{"not_trusted", printable_line(path) + " does not belong to you alone",
                     "remove it, or make it yours with mode 700"};
    }
    return {};
}

}  // namespace

TrustStore::TrustStore(const std::string& state_dir) : directory_(path_join(state_dir, "trust")) {}

std::string TrustStore::record_path(const std::string& path) const { return path_join(directory_, sha256_hex(path)); }

TrustState TrustStore::state(const std::string& path, std::string_view text) const {
    std::optional<TrustRecord> record = read_record(record_path(path));
    if (!record || record->path != path) {
        return TrustState::Unknown;
    }
    return record->sha256 == sha256_hex(text) ? TrustState::Trusted : TrustState::Changed;
}

Result<void> TrustStore::trust(const std::string& path, std::string_view text) const {
    if (path.find('\n') != std::string::npos) {
        return Error{"invalid_path", "a path with a line break cannot be trusted", ""};
    }
    SBX_CHECK(make_directories(directory_));
    std::string target = record_path(path);
    std::string fresh = target + "." + std::to_string(getpid());
    unlink(fresh.c_str());
    Fd fd(open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd.valid()) {
        return io_error(fresh, "written");
    }
    Result<void> written = write_all(fd.get(), sha256_hex(text) + " " + path + "\n", fresh);
    fd.reset();
    if (!written || rename(fresh.c_str(), target.c_str()) != 0) {
        Error error = written ? io_error(target, "written") : written.error();
        unlink(fresh.c_str());
        return error;
    }
    return {};
}

Result<bool> TrustStore::revoke(const std::string& path) const {
    if (unlink(record_path(path).c_str()) == 0) {
        return true;
    }
    if (errno == ENOENT || errno == ENOTDIR) {
        return false;
    }
    return io_error(path, "revoked");
}

std::vector<TrustRecord> TrustStore::list() const {
    std::vector<TrustRecord> records;
    DIR* directory = opendir(directory_.c_str());
    if (directory == nullptr) {
        return records;
    }
    while (const dirent* entry = readdir(directory)) {
        std::string name = entry->d_name;
        if (name.size() == kDigest) {
            if (auto record = read_record(path_join(directory_, name))) {
                records.push_back(*record);
            }
        }
    }
    closedir(directory);
    std::sort(records.begin(), records.end(),
              [](const TrustRecord& a, const TrustRecord& b) { return a.path < b.path; });
    return records;
}

}  // namespace sbx
