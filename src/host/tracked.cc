#include "host/tracked.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "host/directory.h"
#include "host/git_index.h"
#include "host/resolve.h"
#include "policy/sha1.h"
#include "policy/sha256.h"
#include "util/text.h"

namespace sbx {
namespace {

constexpr size_t kLargestIndex = 512U << 20;
constexpr size_t kLargestTracked = 4U << 20;  // of a file whose content is compared
constexpr size_t kSha1Size = 20;

std::string hex(std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (char c : bytes) {
        unsigned char byte = static_cast<unsigned char>(c);
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

class Tracked {
  public:
    Tracked(const std::string& top_level, const std::vector<MaskMatch>& masks) : top_level_(top_level) {
        for (const MaskMatch& match : masks) {
            if (path_within(match.path, top_level) && match.path != top_level) {
                std::string relative = match.path.substr(top_level.size() + 1);
                (match.kind == FileKind::Directory ? folders_ : files_).insert(std::move(relative));
            }
        }
    }

    void add(const IndexEntry& entry) {
        bool regular = (entry.mode & S_IFMT) == S_IFREG;
        if (!regular) {
            return;
        }
        std::string path(entry.path);
        if (files_.count(path) != 0) {
            objects_[path] = entry.object;
            return;
        }
        for (size_t slash = path.find('/'); slash != std::string::npos && !folders_.empty();
             slash = path.find('/', slash + 1)) {
            if (folders_.count(path.substr(0, slash)) != 0) {
                for (size_t end = slash; end != std::string::npos; end = path.find('/', end + 1)) {
                    touched_.insert(path.substr(0, end));
                }
                objects_[path] = entry.object;
                return;
            }
        }
    }

    /// `match`, or what takes its place.
    void resolve(MaskMatch match, std::vector<MaskMatch>& to) const {
        bool inside = path_within(match.path, top_level_) && match.path != top_level_;
        std::string relative = inside ? match.path.substr(top_level_.size() + 1) : "";
        if (match.kind == FileKind::Directory && touched_.count(relative) != 0) {
            expand(match, to);
            return;
        }
        auto object = objects_.find(relative);
        match.tracked = match.kind == FileKind::File && object != objects_.end() && same(match.path, object->second);
        to.push_back(std::move(match));
    }

  private:
    static bool same(const std::string& path, const std::string& object) {
        auto content = small_file(path, kLargestTracked);
        if (!content) {
            return false;
        }
        std::string blob = "blob " + std::to_string(content->size()) + '\0' + *content;
        return (object.size() == kSha1Size ? sha1_hex(blob) : sha256_hex(blob)) == hex(object);
    }

    void expand(const MaskMatch& folder, std::vector<MaskMatch>& to) const {
        std::vector<MaskMatch> found;
        if (!list(folder, found)) {
            to.push_back(folder);
            return;
        }
        for (MaskMatch& match : found) {
            resolve(std::move(match), to);
        }
    }

    /// Its buffer is gone before the next folder is opened: the index says how deep they go.
    static bool list(const MaskMatch& folder, std::vector<MaskMatch>& found) {
        Fd top(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        Fd directory = open_directory_below(top.get(), folder.path.substr(1));
        if (!directory.valid()) {
            return false;
        }
        DirectoryReader reader;
        reader.start(std::move(directory));
        DirectoryEntry entry;
        while (reader.next(entry)) {
            MaskMatch match;
            match.path = path_join(folder.path, entry.name);
            match.kind = entry.kind == FileKind::Directory ? entry.kind : FileKind::File;
            match.pattern = folder.pattern;
            struct stat status {};
            if (entry.kind == FileKind::File &&
                fstatat(reader.descriptor(), entry.name.data(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
                match.links = static_cast<uint64_t>(status.st_nlink);
            }
            found.push_back(std::move(match));
        }
        return reader.error() == 0;
    }

    const std::string& top_level_;
    std::unordered_set<std::string> files_;
    std::unordered_set<std::string> folders_;
    std::unordered_set<std::string> touched_;   ///< folders with tracked files in them
    std::unordered_map<std::string, std::string> objects_;
};

}  // namespace

void mark_tracked(const std::string& index, const std::string& top_level, std::vector<MaskMatch>& masks) {
    auto bytes = small_file(index, kLargestIndex);
    if (!bytes) {
        return;
    }
    Tracked tracked(top_level, masks);
    if (!read_git_index(*bytes, [&](const IndexEntry& entry) { tracked.add(entry); })) {
        return;
    }
    std::vector<MaskMatch> resolved;
    for (MaskMatch& match : masks) {
        tracked.resolve(std::move(match), resolved);
    }
    masks = std::move(resolved);
}

}  // namespace sbx
