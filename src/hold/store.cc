#include "hold/store.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <memory>
#include <set>

#include "hold/encoding.h"
#include "util/fd.h"
#include "util/text.h"

namespace sbx::hold {
namespace {

constexpr size_t kLargest = size_t{2} << 30;

Error failure(const std::string& path, const char* what) {
    return Error{"io", printable_line(path) + ": " + what + ": " + std::strerror(errno), room_hint(errno, path)};
}

std::string held_directory(const std::string& state) {
    return path_join(state, "held");
}

}  // namespace

bool make_directories(const std::string& path) {
    struct stat status {};
    if (stat(path.c_str(), &status) == 0) {
        return S_ISDIR(status.st_mode);
    }
    return make_directories(path_parent(path)) && (mkdir(path.c_str(), 0700) == 0 || errno == EEXIST);
}

namespace {

std::string now() {
    std::time_t seconds = std::time(nullptr);
    std::tm parts{};
    localtime_r(&seconds, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
    return text;
}

Result<void> write_file(const std::string& path, const Held& held) {
    std::string temporary = path + ".new";
    Fd fd(open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!fd.valid()) {
        return failure(temporary, "create");
    }
    std::string bytes =
        encode_text(held.root) + encode_text(held.time) + encode(held.before) + encode(held.after);
    auto written = write_all(fd.get(), bytes, temporary);
    if (!written.ok() || fsync(fd.get()) != 0 || rename(temporary.c_str(), path.c_str()) != 0) {
        Error error = written.ok() ? failure(path, "write") : written.error();
        unlink(temporary.c_str());
        return error;
    }
    return {};
}

bool read_file(const std::string& path, Held& held) {
    Fd fd(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    auto bytes = fd.valid() ? read_all(fd.get(), kLargest) : Result<std::string>(Error{});
    if (!bytes.ok()) {
        return false;
    }
    std::string_view rest = *bytes;
    held.file = path;
    return decode_text(rest, held.root) && decode_text(rest, held.time) && decode(rest, held.before) &&
           decode(rest, held.after);
}

}  // namespace

std::vector<std::string> Held::paths() const {
    std::set<std::string> all;
    for (const auto& entry : before) {
        all.insert(entry.first);
    }
    for (const auto& entry : after) {
        all.insert(entry.first);
    }
    return {all.begin(), all.end()};
}

Result<void> save(const std::string& state_directory, Held& held) {
    std::string directory = held_directory(state_directory);
    if (!make_directories(directory)) {
        return failure(directory, "mkdir");
    }
    held.time = now();
    timespec clock{};
    clock_gettime(CLOCK_REALTIME, &clock);
    char name[64];
    std::snprintf(name, sizeof name, "%012lld-%09ld-%d", static_cast<long long>(clock.tv_sec), clock.tv_nsec,
                  static_cast<int>(getpid()));
    held.file = path_join(directory, name);
    return write_file(held.file, held);
}

Result<void> update(const std::string& state_directory, const Held& held) {
    if (!held.paths().empty()) {
        return write_file(held.file, held);
    }
    if (unlink(held.file.c_str()) != 0 && errno != ENOENT) {
        return failure(held.file, "unlink");
    }
    rmdir(held_directory(state_directory).c_str());
    return {};
}

Result<std::vector<Held>> load(const std::string& state_directory, const std::string& below) {
    std::vector<Held> all;
    std::string directory = held_directory(state_directory);
    std::unique_ptr<DIR, int (*)(DIR*)> stream(opendir(directory.c_str()), closedir);
    if (!stream) {
        return errno == ENOENT ? Result<std::vector<Held>>(all) : failure(directory, "open");
    }
    while (dirent* entry = readdir(stream.get())) {
        std::string name = entry->d_name;
        Held held;
        if (name.front() == '.' || name.find(".new") != std::string::npos ||
            !read_file(path_join(directory, name), held)) {
            continue;
        }
        if (below.empty() || path_within(held.root, below) || path_within(below, held.root)) {
            all.push_back(std::move(held));
        }
    }
    std::sort(all.begin(), all.end(), [](const Held& a, const Held& b) { return a.file < b.file; });
    return all;
}

}  // namespace sbx::hold
