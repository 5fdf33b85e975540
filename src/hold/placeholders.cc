#include "hold/placeholders.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "hold/encoding.h"
#include "hold/files.h"
#include "hold/live.h"
#include "util/text.h"

namespace sbx::hold {
namespace {

constexpr size_t kLargest = 1 << 20;

std::string encode_list(const std::vector<Placeholder>& list) {
    std::string bytes;
    for (const Placeholder& entry : list) {
        bytes +=
            encode_text(entry.path) + encode_text(entry.is_directory ? "d" : "f") + encode_text(entry.data);
    }
    return bytes;
}

std::vector<Placeholder> decode_list(std::string_view bytes) {
    std::vector<Placeholder> list;
    Placeholder entry;
    std::string kind;
    while (decode_text(bytes, entry.path) && decode_text(bytes, kind) && decode_text(bytes, entry.data)) {
        entry.is_directory = kind == "d";
        list.push_back(entry);
    }
    return list;
}

bool exists(const std::string& path) {
    struct stat status {};
    Fd folder = folder_of(path);
    return folder.valid() &&
           fstatat(folder.get(), path_name(path).c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
}

Result<void> make(const Placeholder& entry) {
    Fd folder = folder_of(entry.path);
    std::string name = path_name(entry.path);
    if (folder.valid() && entry.is_directory) {
        if (mkdirat(folder.get(), name.c_str(), 0777) == 0 || errno == EEXIST) {
            return {};
        }
    } else if (folder.valid()) {
        Fd fd(openat(folder.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
        if (fd.valid()) {
            return write_all(fd.get(), entry.data, entry.path);
        }
        if (errno == EEXIST) {
            return {};
        }
    }
    return Error{"setup_failed", "guarding " + printable_line(entry.path) + ": " + std::strerror(errno),
                 "guards.git = \"off\" leaves the repository unguarded"};
}

/// Somebody else's by now, when it is not what sbx made.
void remove_if_unchanged(const Placeholder& entry) {
    Fd folder = folder_of(entry.path);
    std::string name = path_name(entry.path);
    if (!folder.valid()) {
        return;
    }
    if (entry.is_directory) {
        unlinkat(folder.get(), name.c_str(), AT_REMOVEDIR);
        return;
    }
    Fd fd(openat(folder.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    auto content = fd.valid() ? read_all(fd.get(), kLargest) : Result<std::string>(Error{});
    if (content.ok() && *content == entry.data) {
        unlinkat(folder.get(), name.c_str(), 0);
    }
}

std::vector<Placeholder> read_list(const Fd& file) {
    lseek(file.get(), 0, SEEK_SET);
    auto bytes = read_all(file.get(), kLargest);
    return bytes.ok() ? decode_list(*bytes) : std::vector<Placeholder>{};
}

}  // namespace

Result<Placeholders> Placeholders::acquire(const std::string& live_directory,
                                           const std::string& git_directory,
                                           const std::vector<Placeholder>& wanted) {
    Placeholders placeholders;
    placeholders.directory_ = live_directory;
    placeholders.name_ = live_name("git-", git_directory);
    if (placeholders.name_.empty()) {
        return Error{"io", printable_line(git_directory) + ": " + std::strerror(errno), ""};
    }
    SBX_ASSIGN(Fd turn, take_turn(live_directory));
    SBX_ASSIGN(placeholders.share_, open_live_file(live_directory, placeholders.name_));
    bool joining = others_live(placeholders.share_);
    std::vector<Placeholder> mine = read_list(placeholders.share_);
    if (!joining) {
        for (const Placeholder& entry : mine) {
            remove_if_unchanged(entry);
        }
        mine.clear();
    }
    std::vector<Placeholder> missing;
    for (const Placeholder& entry : wanted) {
        if (!exists(entry.path)) {
            missing.push_back(entry);
            mine.push_back(entry);
        }
    }
    SBX_CHECK(write_live_file(placeholders.share_, encode_list(mine), path_join(live_directory, placeholders.name_)));
    for (const Placeholder& entry : missing) {
        SBX_CHECK(make(entry));
    }
    SBX_CHECK(take_share(placeholders.share_));
    return placeholders;
}

void Placeholders::release() {
    auto turn = take_turn(directory_);
    if (!turn.ok()) {
        return;  // the next run clears up
    }
    if (!others_live(share_)) {
        for (const Placeholder& entry : read_list(share_)) {
            remove_if_unchanged(entry);
        }
        unlink(path_join(directory_, name_).c_str());
    }
    end_share(share_);
    tidy(directory_);
}

}  // namespace sbx::hold
