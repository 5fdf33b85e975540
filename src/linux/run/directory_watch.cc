#include "linux/run/directory_watch.h"

#include <fcntl.h>

#include <algorithm>

namespace sbx {

void DirectoryWatch::add(int directory) {
    struct stat status {};
    if (fstat(directory, &status) != 0) {
        complete_ = false;
        return;
    }
    bool known = std::any_of(watched_.begin(), watched_.end(), [&](const Watched& watched) {
        return watched.device == status.st_dev && watched.inode == status.st_ino;
    });
    if (known) {
        return;
    }
    Fd readable(openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!readable.valid() ||
        fcntl(readable.get(), F_NOTIFY, DN_CREATE | DN_DELETE | DN_RENAME | DN_MULTISHOT) != 0) {
        complete_ = false;
        return;
    }
    watched_.push_back({status.st_dev, status.st_ino, std::move(readable)});
}

}  // namespace sbx
