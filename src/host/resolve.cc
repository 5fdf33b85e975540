#include "host/resolve.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>

#include "util/fd.h"
#include "util/text.h"

namespace sbx {
namespace {

FileKind kind_of_mode(mode_t mode) {
    if (S_ISREG(mode)) {
        return FileKind::File;
    }
    if (S_ISDIR(mode)) {
        return FileKind::Directory;
    }
    return S_ISLNK(mode) ? FileKind::Symlink : FileKind::Other;
}

}  // namespace

std::optional<std::string> real_path(const std::string& path) {
    std::unique_ptr<char, void (*)(void*)> resolved(::realpath(path.c_str(), nullptr), std::free);
    if (!resolved) {
        return std::nullopt;
    }
    return std::string(resolved.get());
}

std::optional<std::string> walk_path(const std::string& path, std::vector<SystemPath>& links) {
    constexpr size_t kMostLinks = 40;  // as in the kernel
    size_t seen = 0;
    std::vector<std::string> ahead = path_components(path);
    std::reverse(ahead.begin(), ahead.end());
    std::string at = "/";
    char text[4096];
    while (!ahead.empty()) {
        std::string component = std::move(ahead.back());
        ahead.pop_back();
        if (component == "..") {
            at = path_parent(at);
            continue;
        }
        std::string next = path_join(at, component);
        ssize_t length = readlink(next.c_str(), text, sizeof text);
        if (length < 0 && errno != EINVAL) {
            return std::nullopt;
        }
        if (length <= 0) {
            at = std::move(next);
            continue;
        }
        std::string target(text, static_cast<size_t>(length));
        if (++seen > kMostLinks || target.size() == sizeof text) {
            return std::nullopt;
        }
        if (target.front() == '/') {
            at = "/";
        }
        std::vector<std::string> more = path_components(target);
        ahead.insert(ahead.end(), more.rbegin(), more.rend());
        links.push_back({std::move(next), FileKind::Symlink, std::move(target)});
    }
    return at;
}

PathFacts look_at(const std::string& path) {
    PathFacts facts;
    struct stat status {};
    facts.is_link = lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
    if (auto resolved = real_path(path)) {
        facts.resolved = *resolved;
        if (stat(facts.resolved.c_str(), &status) == 0) {
            facts.kind = kind_of_mode(status.st_mode);
            facts.owner = status.st_uid;
        }
        facts.writable = access(facts.resolved.c_str(), W_OK) == 0;
        return facts;
    }
    std::string existing = path;
    std::string rest;
    while (existing != "/") {
        rest = rest.empty() ? path_name(existing) : path_join(path_name(existing), rest);
        existing = path_parent(existing);
        if (auto resolved = real_path(existing)) {
            facts.resolved = path_join(*resolved, rest);
            return facts;
        }
    }
    facts.resolved = path;
    return facts;
}

FileKind kind_of(const std::string& path) {
    struct stat status {};
    return lstat(path.c_str(), &status) == 0 ? kind_of_mode(status.st_mode) : FileKind::Missing;
}

std::string link_text(const std::string& path) {
    char text[4096];
    ssize_t length = readlink(path.c_str(), text, sizeof text);
    return {text, length > 0 ? static_cast<size_t>(length) : 0};
}

std::optional<std::string> small_file(const std::string& path, size_t limit) {
    Fd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
    struct stat status {};
    if (!fd.valid() || fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
        return std::nullopt;
    }
    auto content = read_all(fd.get(), limit);
    if (!content.ok()) {
        return std::nullopt;
    }
    return std::move(content.value());
}

}  // namespace sbx
