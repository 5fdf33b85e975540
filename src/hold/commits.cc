#include "hold/commits.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "hold/files.h"
#include "hold/live.h"
#include "hold/store.h"
#include "policy/sha1.h"
#include "policy/sha256.h"
#include "util/fd.h"
#include "util/text.h"

namespace sbx::hold {
namespace {

constexpr size_t kLargestRefs = size_t{64} << 20;
constexpr size_t kMostTips = 4000;

std::string read_small(int directory, const std::string& path, size_t limit) {
    Fd fd(openat(directory, path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    auto bytes = fd.valid() ? read_all(fd.get(), limit) : Result<std::string>(Error{});
    return bytes.ok() ? std::move(*bytes) : "";
}

bool is_id(std::string_view text) {
    return (text.size() == 40 || text.size() == 64) && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
           });
}

std::string_view first_word(std::string_view line) {
    return line.substr(0, line.find_first_of(" \t\r\n"));
}

struct Object {
    std::string type;
    std::string data;
};

std::string object_id(std::string_view type, std::string_view data, size_t id_size) {
    std::string text(type);
    text += ' ' + std::to_string(data.size());
    text += '\0';
    text += data;
    return id_size == 40 ? sha1_hex(text) : sha256_hex(text);
}

/// Objects of cat-file's answer whose bytes are those that their id names.
std::map<std::string, Object> checked_objects(std::string_view answer) {
    std::map<std::string, Object> objects;
    while (!answer.empty()) {
        size_t end = answer.find('\n');
        std::string_view header = answer.substr(0, end);
        answer.remove_prefix(end == std::string_view::npos ? answer.size() : end + 1);
        std::vector<std::string> words = split(header, ' ');
        if (words.size() != 3 || !is_id(words[0]) || words[2].empty() || words[2].size() > 10 ||
            words[2].find_first_not_of("0123456789") != std::string::npos) {
            continue;  // "... missing"
        }
        size_t size = std::stoull(words[2]);
        if (size >= answer.size()) {
            break;
        }
        std::string_view data = answer.substr(0, size);
        answer.remove_prefix(size + 1);
        if (objects.count(words[0]) == 0 && object_id(words[1], data, words[0].size()) == words[0]) {
            objects[words[0]] = {words[1], std::string(data)};
        }
    }
    return objects;
}

struct TreeEntry {
    std::string mode;
    std::string id;
};

std::string hex(std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (char c : bytes) {
        text += digits[static_cast<unsigned char>(c) >> 4];
        text += digits[static_cast<unsigned char>(c) & 15];
    }
    return text;
}

std::optional<TreeEntry> find_in_tree(std::string_view tree, const std::string& wanted, size_t id_size) {
    size_t raw = id_size / 2;
    while (!tree.empty()) {
        size_t space = tree.find(' ');
        size_t end = tree.find('\0');
        if (space == std::string_view::npos || end == std::string_view::npos || space > end ||
            tree.size() < end + 1 + raw) {
            break;
        }
        if (tree.substr(space + 1, end - space - 1) == wanted) {
            return TreeEntry{std::string(tree.substr(0, space)), hex(tree.substr(end + 1, raw))};
        }
        tree.remove_prefix(end + 1 + raw);
    }
    return std::nullopt;
}

enum class Answer { Unknown, Absent, Present };

class Lookup {
  public:
    explicit Lookup(std::map<std::string, Object> objects) : objects_(std::move(objects)) {}

    Answer find(const std::string& tip, const std::string& path, TreeEntry& entry) const {
        auto commit = objects_.find(tip);
        if (commit == objects_.end() || commit->second.type != "commit" ||
            commit->second.data.rfind("tree ", 0) != 0) {
            return Answer::Unknown;
        }
        entry = {"40000", std::string(first_word(std::string_view(commit->second.data).substr(5)))};
        for (const std::string& component : path_components(path)) {
            if (entry.mode != "40000") {
                return Answer::Absent;
            }
            auto tree = objects_.find(entry.id);
            if (tree == objects_.end() || tree->second.type != "tree") {
                return Answer::Unknown;
            }
            auto next = find_in_tree(tree->second.data, component, tip.size());
            if (!next) {
                return Answer::Absent;
            }
            entry = *next;
        }
        return Answer::Present;
    }

  private:
    std::map<std::string, Object> objects_;
};

bool matches(const Item& item, const TreeEntry& entry) {
    bool file = item.kind == Item::Kind::File;
    const char* mode = !file ? "120000" : (item.mode & 0100) != 0 ? "100755" : "100644";
    return item.whole && (file || item.kind == Item::Kind::Link) && entry.mode == mode &&
           object_id("blob", item.content, entry.id.size()) == entry.id;
}

/// Every object on the way from each tip to each candidate; known beforehand, so one call is enough.
std::string requests_for(const std::vector<Candidate>& candidates, const std::vector<std::string>& tips) {
    std::set<std::string> folders;
    for (const Candidate& candidate : candidates) {
        for (size_t slash = candidate.path.find('/'); slash != std::string::npos;
             slash = candidate.path.find('/', slash + 1)) {
            folders.insert(candidate.path.substr(0, slash));
        }
    }
    std::string requests;
    for (const std::string& tip : tips) {
        requests += tip + "\n" + tip + "^{tree}\n";
        for (const std::string& folder : folders) {
            if (folder.find('\n') == std::string::npos) {  // a request is one line
                requests += tip + ":" + folder + "\n";
            }
        }
    }
    return requests;
}

std::string doubtful_file(const std::string& state_directory, const std::string& common_dir) {
    std::string name = lasting_name(common_dir);
    return name.empty() ? "" : path_join(path_join(state_directory, "commits"), name);
}

}  // namespace

std::vector<std::string> ref_tips(const std::string& git_dir, const std::string& common_dir) {
    std::vector<std::string> tips;
    std::set<std::string> known;
    auto add = [&](std::string_view id) {
        if (is_id(id) && known.emplace(id).second) {
            tips.emplace_back(id);
        }
    };
    if (git_dir.empty()) {
        return tips;
    }
    Fd own(open(git_dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    Fd common(open(common_dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    Fd refs(openat(common.get(), "refs", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    add(first_word(read_small(own.get(), "HEAD", 4096)));
    if (refs.valid()) {
        for (const std::string& path : paths_below(refs.get())) {
            add(first_word(read_small(refs.get(), path, 4096)));
        }
    }
    std::string packed = read_small(common.get(), "packed-refs", kLargestRefs);
    for (std::string_view rest = packed; !rest.empty();) {
        size_t end = rest.find('\n');
        std::string_view line = rest.substr(0, end);
        add(first_word(line.substr(!line.empty() && line.front() == '^' ? 1 : 0)));
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    return tips;
}

std::vector<std::string> doubtful_tips(const std::string& state_directory, const std::string& common_dir) {
    std::string file = doubtful_file(state_directory, common_dir);
    std::vector<std::string> tips = split(file.empty() ? "" : read_small(AT_FDCWD, file, kLargestRefs), '\n');
    tips.erase(std::remove_if(tips.begin(), tips.end(), [](const std::string& tip) { return !is_id(tip); }),
               tips.end());
    std::sort(tips.begin(), tips.end());
    return tips;
}

Result<void> add_doubtful_tips(const std::string& state_directory, const std::string& common_dir,
                               const std::vector<std::string>& tips) {
    std::string file = doubtful_file(state_directory, common_dir);
    std::string text;
    for (const std::string& tip : tips) {
        text += tip + "\n";
    }
    if (text.empty() || file.empty()) {
        return {};
    }
    if (!make_directories(path_parent(file))) {
        return Error{"io", printable_line(path_parent(file)) + ": " + std::strerror(errno), ""};
    }
    Fd fd(open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!fd.valid()) {
        return Error{"io", printable_line(file) + ": " + std::strerror(errno), ""};
    }
    return write_all(fd.get(), text, file);
}

std::vector<bool> committed(const std::vector<Candidate>& candidates, const std::vector<std::string>& tips,
                            const CatFile& cat_file) {
    std::vector<bool> result(candidates.size(), false);
    if (candidates.empty() || tips.empty() || !cat_file) {
        return result;
    }
    std::vector<std::string> asked(
        tips.begin(), tips.begin() + static_cast<std::ptrdiff_t>(std::min(tips.size(), kMostTips)));
    auto answer = cat_file(requests_for(candidates, asked));
    if (!answer.ok()) {
        return result;
    }
    Lookup lookup(checked_objects(*answer));
    for (size_t i = 0; i < candidates.size(); ++i) {
        const Candidate& candidate = candidates[i];
        const Item* wanted = candidate.item != nullptr ? candidate.item : candidate.before;
        bool absent = false;
        bool present = false;
        for (const std::string& tip : asked) {
            TreeEntry entry;
            Answer found = lookup.find(tip, candidate.path, entry);
            absent = absent || found == Answer::Absent;
            present = present || (found == Answer::Present && wanted != nullptr && matches(*wanted, entry));
        }
        result[i] = present && (candidate.item != nullptr || absent);
    }
    return result;
}

}  // namespace sbx::hold
