#include "run/folders.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "util/fd.h"
#include "util/text.h"

namespace sbx {
namespace {

#ifdef O_PATH
constexpr int kPassThrough = O_PATH;
#else
constexpr int kPassThrough = O_SEARCH;
#endif

Result<void> create_folder(const std::string& path) {
    Fd at(open("/", kPassThrough | O_DIRECTORY | O_CLOEXEC));
    std::string made;
    for (const std::string& component : path_components(path)) {
        made += "/" + component;
        bool exists = mkdirat(at.get(), component.c_str(), 0700) == 0 || errno == EEXIST;
        if (exists || errno == EROFS || errno == EACCES) {  // which come first, even where it exists
            at.reset(openat(at.get(), component.c_str(), kPassThrough | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        } else {
            at.reset();
        }
        if (!at.valid()) {
            return Error{"io", printable_line(made) + " cannot be made: " + std::strerror(errno), ""};
        }
    }
    return {};
}

}  // namespace

Result<void> create_folders(const Plan& plan) {
    for (const std::string& folder : plan.create) {
        SBX_CHECK(create_folder(folder));
    }
    return {};
}

}  // namespace sbx
