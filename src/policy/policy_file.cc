#include "policy/policy_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "host/resolve.h"
#include "util/fd.h"
#include "util/text.h"

namespace sbx {
namespace {

#ifdef __APPLE__
timespec modified(const struct stat& status) { return status.st_mtimespec; }
timespec changed(const struct stat& status) { return status.st_ctimespec; }
#else
timespec modified(const struct stat& status) { return status.st_mtim; }
timespec changed(const struct stat& status) { return status.st_ctim; }
#endif

bool same(timespec a, timespec b) { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }

/// A policy that was half written when it was read may lack exactly the line that matters (T88).
bool unchanged(const struct stat& before, const struct stat& after, size_t read) {
    return before.st_size == after.st_size && static_cast<size_t>(after.st_size) == read &&
           same(modified(before), modified(after)) && same(changed(before), changed(after));
}

Error cannot_open(int number, bool refuse_links) {
    if (number == ENOENT || number == ENOTDIR) {
        return {"not_found", "there is no such file", ""};
    }
    if (number == ELOOP && refuse_links) {
        return {"not_trusted", "a policy found in the project may not be a symbolic link",
                "name the file itself: --policy FILE"};
    }
    return {"unreadable", std::string("cannot be read: ") + std::strerror(number), ""};
}

Result<void> check_kind(const struct stat& status, const PolicyFileRules& rules) {
    if (S_ISDIR(status.st_mode)) {
        return Error{"not_a_file", "is a directory", "name the policy file in it"};
    }
    if (!S_ISREG(status.st_mode)) {
        return Error{"not_a_file", "is not a regular file", ""};
    }
    if (rules.refuse_shared && (status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        return Error{"not_trusted", "other users can write this policy", "chmod go-w it, after you have read it"};
    }
    return {};
}

}  // namespace

Result<PolicyText> read_policy_file(const std::string& path, const PolicyFileRules& rules) {
    // O_NONBLOCK: opening a FIFO must not wait for somebody to write into it.
    int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (rules.refuse_links ? O_NOFOLLOW : 0);
    Fd fd(open(path.c_str(), flags));
    if (!fd.valid()) {
        return cannot_open(errno, rules.refuse_links);
    }
    struct stat before {};
    struct stat after {};
    if (fstat(fd.get(), &before) != 0) {
        return cannot_open(errno, false);
    }
    SBX_CHECK(check_kind(before, rules));
    auto content = read_all(fd.get(), kMaxPolicyBytes);
    if (!content) {
        if (content.error().code == "oversized") {
            return Error{"oversized", "is larger than 64 KiB", "a policy of that size is a mistake"};
        }
        return Error{"unreadable", "cannot be read: " + content.error().message, ""};
    }
    if (fstat(fd.get(), &after) != 0 || !unchanged(before, after, content->size())) {
        return Error{"changed_while_reading", "changed while it was read", "run the command again"};
    }
    PolicyText found;
    found.path = real_path(path).value_or(path);
    found.text = std::move(*content);
    constexpr std::string_view kMark = "\xef\xbb\xbf";
    if (found.text.compare(0, kMark.size(), kMark) == 0) {
        found.text.erase(0, kMark.size());
    }
    if (!is_utf8(found.text)) {
        return Error{"unreadable", "is not UTF-8 text", "save it as UTF-8"};
    }
    return found;
}

}  // namespace sbx
