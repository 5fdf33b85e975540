#include "host/walk.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "util/text.h"

namespace sbx {
namespace {

constexpr uint64_t kLargeTree = 20'000;  // entries; below, starting a thread costs more than it saves
constexpr uint64_t kBatch = 1024;        // entries between two looks at the limits

bool is_git_entry(std::string_view name) {
    return name.size() == 4 && name[0] == '.' && (name[1] | 0x20) == 'g' && (name[2] | 0x20) == 'i' &&
           (name[3] | 0x20) == 't';
}

std::string_view last_component(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

template <typename T>
void append(std::vector<T>& to, std::vector<T>& from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
    from.clear();
}

}  // namespace

Walk::Walk(const ScanRequest& request, const ScanPatterns& patterns)
    : request_(request), patterns_(patterns),
      deadline_(std::chrono::steady_clock::now() + std::chrono::milliseconds(request.limits.timeout_ms.value)) {
    for (const NameEntry& entry : request.limits.skip) {
        skip_.push_back(lower(entry.text));
    }
}

void Walk::run(const ScanRoot& root) {
    root_ = &root;
    Fd top(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    root_fd_ = open_directory_below(top.get(), root.path.substr(1));
    struct stat status {};
    if (!root_fd_.valid() || fstat(root_fd_.get(), &status) != 0) {
        total_.unreadable += errno == ENOENT || errno == ENOTDIR ? 0 : 1;
        return;
    }
    root_device_ = status.st_dev;
    idle_ = 0;
    workers_ = 1;
    shared_.clear();
    first_.own.push_back({});
    work(first_);
    merge(first_.found);
    if (helper_.joinable()) {
        helper_.join();
        merge(second_.found);
    }
}

void Walk::work(Worker& worker) {
    Folder folder;
    while (take(worker, folder)) {
        read(worker, folder);
        share(worker);
    }
    may_go_on(worker);
}

bool Walk::take(Worker& worker, Folder& folder) {
    if (limit_ != WalkLimit::None) {
        std::unique_lock lock(mutex_);  // so that the other thread cannot miss it
        more_.notify_all();
        worker.own.clear();
        return false;
    }
    if (worker.own.empty()) {
        std::unique_lock lock(mutex_);
        if (shared_.empty() && ++idle_ < workers_) {
            more_.wait(lock, [&] { return !shared_.empty() || idle_ >= workers_ || limit_ != WalkLimit::None; });
            idle_ -= shared_.empty() ? 0 : 1;
        }
        if (shared_.empty()) {
            more_.notify_all();
            return false;
        }
        worker.own.swap(shared_);
    }
    folder = std::move(worker.own.back());
    worker.own.pop_back();
    return true;
}

/// Hands half of what is still to be read, the part nearest to the root, to a thread without work.
void Walk::share(Worker& worker) {
    if (idle_ == 0 || worker.own.size() < 2) {
        return;
    }
    std::unique_lock lock(mutex_);
    if (!shared_.empty()) {
        return;
    }
    auto middle = worker.own.begin() + static_cast<std::ptrdiff_t>(worker.own.size() / 2);
    shared_.assign(std::make_move_iterator(worker.own.begin()), std::make_move_iterator(middle));
    worker.own.erase(worker.own.begin(), middle);
    more_.notify_one();
}

void Walk::start_helper() {
    std::unique_lock lock(mutex_);
    if (workers_ == 1) {
        workers_ = 2;
        try {
            helper_ = std::thread([this] { work(second_); });
        } catch (const std::system_error&) {
            workers_ = 1;  // no process is left to this user: it goes on alone
        }
    }
}

bool Walk::may_go_on(Worker& worker) {
    uint64_t seen = entries_.fetch_add(worker.uncounted) + worker.uncounted;
    worker.uncounted = 0;
    if (seen > static_cast<uint64_t>(request_.limits.max_entries.value)) {
        limit_ = WalkLimit::Entries;
    } else if (std::chrono::steady_clock::now() > deadline_) {
        limit_ = WalkLimit::Time;
    }
    if (seen > kLargeTree && &worker == &first_ && !helper_.joinable() && !worker.own.empty()) {
        start_helper();
    }
    return limit_ == WalkLimit::None;
}

void Walk::read(Worker& worker, const Folder& folder) {
    Fd fd = open_directory_below(root_fd_.get(), folder.path);
    worker.absolute = folder.path.empty() ? root_->path : path_join(root_->path, folder.path);
    struct stat status {};
    if (!fd.valid() || fstat(fd.get(), &status) != 0) {
        cannot_read(worker, folder, errno);
        return;
    }
    if (status.st_dev != root_device_ && is_kernel_filesystem(fd.get())) {
        return;
    }
    worker.reader.start(std::move(fd));
    DirectoryEntry entry;
    while (worker.reader.next(entry)) {
        if (++worker.uncounted >= kBatch && !may_go_on(worker)) {
            return;
        }
        look(worker, folder, entry);
    }
    worker.found.unreadable += worker.reader.error() != 0 ? 1 : 0;
}

void Walk::look(Worker& worker, const Folder& folder, const DirectoryEntry& entry) {
    std::string_view parent = worker.absolute;
    bool directory = entry.kind == FileKind::Directory;
    if (!folder.in_dependencies) {
        if (const std::string* pattern = patterns_.match(parent, entry.name)) {
            struct stat status {};
            bool known = entry.kind == FileKind::File && fstatat(worker.reader.descriptor(), entry.name.data(), &status,
                                                                 AT_SYMLINK_NOFOLLOW) == 0;
            MaskMatch match;
            match.path = path_join(parent, entry.name);
            match.kind = directory || entry.kind == FileKind::Symlink ? entry.kind : FileKind::File;
            match.pattern = *pattern;
            match.links = known ? static_cast<uint64_t>(status.st_nlink) : 1;
            worker.found.masks.push_back(std::move(match));
            return;
        }
    }
    if (is_git_entry(entry.name)) {
        std::string path = path_join(parent, entry.name);
        if (root_->writable && path != request_.own_entry) {
            worker.found.repositories.push_back(std::move(path));
        }
        return;
    }
    bool handover = false;
    if (root_->writable && !folder.in_handover && request_.is_handover &&
        request_.is_handover(entry.name, last_component(parent), directory, folder.in_dependencies)) {
        handover = true;
        worker.found.handover.push_back({path_join(parent, entry.name), entry.kind});
    } else if (folder.in_handover && entry.kind == FileKind::Symlink) {
        worker.found.handover.push_back({path_join(parent, entry.name), entry.kind, true});
    }
    if (directory && !(request_.roots.size() > 1 && is_other_root(path_join(parent, entry.name)))) {
        Folder child;
        child.path.reserve(folder.path.size() + 1 + entry.name.size());
        child.path.append(folder.path).append(folder.path.empty() ? "" : "/").append(entry.name);
        child.in_dependencies = folder.in_dependencies || is_skipped(entry.name);
        child.in_handover = folder.in_handover || handover;
        worker.own.push_back(std::move(child));
    }
}

/// A directory of the caller's that the caller may not read hides nothing: the command could make it
/// readable again. So it is hidden as a whole, which to an honest command looks the same.
void Walk::cannot_read(Worker& worker, const Folder& folder, int error) {
    if (error == ENOENT || error == ENOTDIR || error == ELOOP) {
        return;  // removed or replaced since its parent was read
    }
    struct stat status {};
    bool own = error == EACCES && lstat(worker.absolute.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
               status.st_uid == geteuid();
    if (own && !folder.in_dependencies && !folder.path.empty()) {
        MaskMatch match;
        match.path = worker.absolute;
        match.kind = FileKind::Directory;
        worker.found.masks.push_back(std::move(match));
        return;
    }
    ++worker.found.unreadable;
}

bool Walk::is_skipped(std::string_view name) const {
    if (request_.is_dependency_folder && request_.is_dependency_folder(name)) {
        return true;
    }
    return !skip_.empty() && std::any_of(skip_.begin(), skip_.end(), [folded = lower(name)](const std::string& glob) {
        return glob_match(glob, folded);
    });
}

bool Walk::is_other_root(const std::string& path) const {
    return std::any_of(request_.roots.begin(), request_.roots.end(),
                       [&](const ScanRoot& root) { return &root != root_ && root.path == path; });
}

void Walk::merge(Findings& part) {
    append(total_.masks, part.masks);
    append(total_.repositories, part.repositories);
    append(total_.handover, part.handover);
    total_.unreadable += part.unreadable;
    total_.entries = entries_.load();
    part.unreadable = 0;
}

}  // namespace sbx
