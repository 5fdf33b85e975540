#include "vm/run/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "util/fd.h"
#include "util/text.h"

namespace sbx::vm {
namespace {

constexpr size_t kMaxFile = size_t{16} << 20;

Error folder_error(const std::string& path, int directory, const std::string& name, int error) {
    std::string shown = printable_line(path);
    struct stat status {};
    bool is_link =
        fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode);
    if (is_link) {
        return {"not_a_file", shown + ": " + printable_line(name) + " on the way is a symbolic link", ""};
    }
    switch (error) {
        case ENOENT: return {"not_found", shown + " does not exist", ""};
        case ENOTDIR: return {"invalid_folder", shown + " is not a folder.", ""};
        case EACCES:
        case EPERM: return {"folder_unreadable", shown + ": the folder cannot be read", ""};
        default: return {"io", shown + ": " + std::strerror(error), ""};
    }
}

Result<void> copy_file(const std::string& source, const std::string& target) {
    Fd from(open(source.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    struct stat status {};
    if (!from.valid() || fstat(from.get(), &status) != 0) {
        return Error{errno == ENOENT ? "not_found" : "io",
                     printable_line(source) + ": " + std::strerror(errno), ""};
    }
    if (!S_ISREG(status.st_mode)) {
        return Error{"not_a_file", printable_line(source) + " is not a regular file", ""};
    }
    auto content = read_all(from.get(), kMaxFile);
    if (!content) {
        return Error{content.error().code, printable_line(source) + ": " + content.error().message,
                     "grant the folder that it lies in"};
    }
    Fd to(open(target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, status.st_mode & 0555));
    if (!to.valid()) {
        return Error{"io", printable_line(target) + ": " + std::strerror(errno), ""};
    }
    return write_all(to.get(), *content);
}

}  // namespace

Result<void> check_shared_folder(const std::string& path) {
    Fd current(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (const auto& component : path_components(path)) {
        Fd next(openat(current.get(), component.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (!next.valid()) {
            return folder_error(path, current.get(), component, errno);
        }
        current = std::move(next);
    }
    DIR* listing = fdopendir(current.release());
    errno = 0;
    bool readable = listing != nullptr && (readdir(listing) != nullptr || errno == 0);
    if (listing != nullptr) {
        closedir(listing);
    }
    if (!readable) {
        return Error{"folder_unreadable", printable_line(path) + ": the folder cannot be read", ""};
    }
    return {};
}

Result<std::string> find_shared_folder(const std::string& path) {
    struct stat status {};
    if (lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode)) {
        return Error{"not_a_file", printable_line(path) + " is a symbolic link", "name the folder that it leads to"};
    }
    char* resolved = realpath(path.c_str(), nullptr);
    std::string canonical = resolved == nullptr ? path : resolved;
    std::free(resolved);
    SBX_CHECK(check_shared_folder(canonical));
    return canonical;
}

Result<void> make_private_folder(ContainerLaunch& launch) {
    const char* base = std::getenv("TMPDIR");
    std::string pattern = path_join(base != nullptr && base[0] == '/' ? base : "/tmp", "sbx-vm-XXXXXX");
    std::vector<char> name(pattern.begin(), pattern.end());
    name.push_back(0);
    if (mkdtemp(name.data()) == nullptr) {
        return Error{"io", printable_line(pattern) + ": " + std::strerror(errno), ""};
    }
    launch.folder = name.data();
    for (size_t i = 0; i < launch.files.size(); ++i) {
        std::string target = path_join(launch.folder, std::to_string(i));
        if (!launch.files[i].source.empty()) {
            SBX_CHECK(copy_file(launch.files[i].source, target));
            continue;
        }
        Fd mask(open(target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0));
        if (!mask.valid()) {
            return Error{"io", printable_line(target) + ": " + std::strerror(errno), ""};
        }
    }
    return {};
}

void remove_private_folder(const std::string& folder) {
    DIR* listing = opendir(folder.c_str());
    if (listing == nullptr) {
        return;
    }
    while (const dirent* entry = readdir(listing)) {
        unlinkat(dirfd(listing), entry->d_name, 0);
    }
    closedir(listing);
    rmdir(folder.c_str());
}

}  // namespace sbx::vm
