#include "hold/tree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include "host/directory.h"
#include "util/fd.h"
#include "util/text.h"

namespace sbx::hold {
namespace {

constexpr int kOpen = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
constexpr size_t kOpenFrames = 48;

/// A directory that waits for a thread.
struct Item {
    std::string path;
    uint32_t bits = 0;
};

/// What the threads of one walk share.
struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Item> queue;
    unsigned workers = 1;
    unsigned waiting = 0;
    std::atomic<bool> hungry{false};  ///< a thread waits and the queue is empty

    /// The next directory; nothing when all work is done. Called with no lock.
    std::optional<Item> take() {
        std::unique_lock<std::mutex> lock(mutex);
        ++waiting;
        while (queue.empty() && waiting < workers) {
            hungry = true;
            changed.wait(lock);
        }
        if (queue.empty()) {
            changed.notify_all();
            return std::nullopt;
        }
        --waiting;
        Item item = std::move(queue.front());
        queue.pop_front();
        hungry = waiting > 0 && queue.empty();
        return item;
    }

    void give(std::vector<Item> items) {
        std::lock_guard<std::mutex> lock(mutex);
        for (Item& item : items) {
            queue.push_back(std::move(item));
        }
        hungry = false;
        changed.notify_all();
    }
};

struct Child {
    uint32_t name_at = 0;
    uint32_t name_size = 0;
    uint32_t bits = 0;
};

/// A directory whose subdirectories are being walked.
struct Frame {
    Fd fd;                  ///< closed when many others are open
    dev_t device = 0;
    ino_t inode = 0;
    size_t path_size = 0;   ///< of its path in Walker::path_
    size_t children = 0;    ///< first of its own in Walker::children_
    size_t names = 0;       ///< where its names begin in Walker::names_
};

class Walker {
  public:
    Walker(int root, Shared& shared, const TreeOptions& options, TreeVisitor& visitor)
        : root_(root), shared_(shared), options_(options), visitor_(visitor) {}

    /// Called when the tree turns out to be large; may start threads.
    std::function<void()> large;
    std::vector<std::string> unreadable;
    std::vector<std::pair<std::string, uint32_t>> forced;

    void run() {
        while (auto item = shared_.take()) {
            walk(*item);
        }
    }

  private:
    void walk(const Item& item) {
        path_ = item.path;
        Fd fd = open_directory_below(root_, path_);
        if (!fd.valid() && errno == EACCES && !path_.empty()) {
            Fd parent = open_directory_below(root_, path_.substr(0, path_.find_last_of('/') + 1));
            fd = open_by_force(parent.get(), path_.c_str() + path_.find_last_of('/') + 1);
        }
        if (!fd.valid()) {
            note_unless_gone();
            return;
        }
        push(std::move(fd), item.bits, true);
        while (!frames_.empty()) {
            if (shared_.hungry) {
                share();
            }
            Frame& top = frames_.back();
            if (children_.size() == top.children) {
                pop();
                continue;
            }
            Child child = children_.back();
            children_.pop_back();
            descend(child);
        }
        frames_.clear();
        children_.clear();
        names_.clear();
        open_from_ = 0;
    }

    void descend(const Child& child) {
        Frame& top = frames_.back();
        path_.resize(top.path_size);
        if (!path_.empty()) {
            path_ += '/';
        }
        path_.append(names_, child.name_at, child.name_size);
        const char* name = path_.c_str() + path_.size() - child.name_size;
        Fd fd(openat(top.fd.get(), name, kOpen));
        if (!fd.valid() && errno == EACCES) {
            fd = open_by_force(top.fd.get(), name);
        }
        if (fd.valid()) {
            push(std::move(fd), child.bits, false);
        } else {
            note_unless_gone();
        }
    }

    /// Why path_ could not be opened: gone, replaced by something else, or a reason to tell.
    void note_unless_gone() {
        if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP) {
            unreadable.push_back(path_);
        }
    }

    /// The owner can always let itself in. Invalid and errno when it may not be tried or fails.
    Fd open_by_force(int parent, const char* name) {
        struct stat status {};
        Fd fd;
        if (options_.force && fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode) &&
            status.st_uid == geteuid() &&
            fchmodat(parent, name, (status.st_mode & 07777) | 0500, AT_SYMLINK_NOFOLLOW) == 0) {
            fd.reset(openat(parent, name, kOpen));
            if (fd.valid()) {
                forced.emplace_back(path_, status.st_mode & 07777);
            }
        }
        if (!fd.valid()) {
            errno = EACCES;
        }
        return fd;
    }

    void push(Fd fd, uint32_t bits, bool is_root) {
        struct stat status {};
        if (fstat(fd.get(), &status) != 0) {
            return;
        }
        if (!is_root && status.st_dev != frames_.back().device && is_kernel_filesystem(fd.get())) {
            return;
        }
        Frame frame;
        frame.device = status.st_dev;
        frame.inode = status.st_ino;
        frame.path_size = path_.size();
        frame.children = children_.size();
        frame.names = names_.size();
        read(fd.get(), bits);
        frame.fd = std::move(fd);
        frames_.push_back(std::move(frame));
        if (frames_.size() - open_from_ > kOpenFrames) {
            frames_[open_from_++].fd.reset();
        }
    }

    void read(int fd, uint32_t bits) {
        visitor_.enter(path_, bits);
        size_t first = children_.size();
        DirectoryEntry entry;
        for (reader_.start(Fd(fcntl(fd, F_DUPFD_CLOEXEC, 0))); reader_.next(entry); ++entries_) {
            visitor_.entry(entry.name, entry.kind);
            if (entry.kind == FileKind::Directory) {
                children_.push_back({static_cast<uint32_t>(names_.size()), static_cast<uint32_t>(entry.name.size()), 0});
                names_ += entry.name;
            }
        }
        if (reader_.error() != 0) {
            unreadable.push_back(path_);
        }
        size_t kept = first;
        for (size_t i = first; i < children_.size(); ++i) {
            Child child = children_[i];
            if (visitor_.descend(std::string_view(names_).substr(child.name_at, child.name_size), child.bits)) {
                children_[kept++] = child;
            }
        }
        children_.resize(kept);
        if (large && entries_ >= options_.large) {
            std::exchange(large, nullptr)();
        }
    }

    void pop() {
        Fd fd = std::move(frames_.back().fd);
        names_.resize(frames_.back().names);
        frames_.pop_back();
        if (frames_.empty() || frames_.back().fd.valid()) {
            return;
        }
        // Its descriptor was given up for others. ".." leads back, unless the directory was moved meanwhile.
        open_from_ = frames_.size() - 1;
        Frame& top = frames_.back();
        Fd up(openat(fd.get(), "..", kOpen));
        struct stat status {};
        if (!up.valid() || fstat(up.get(), &status) != 0 || status.st_dev != top.device || status.st_ino != top.inode) {
            up = open_directory_below(root_, path_.substr(0, top.path_size));
            if (!up.valid() || fstat(up.get(), &status) != 0 || status.st_dev != top.device ||
                status.st_ino != top.inode) {
                unreadable.push_back(path_.substr(0, top.path_size));
                children_.resize(top.children);
                return;
            }
        }
        top.fd = std::move(up);
    }

    /// Leaves what waits highest up, which is the most, to the thread that has nothing to do.
    void share() {
        for (size_t i = 0; i < frames_.size(); ++i) {
            size_t end = i + 1 < frames_.size() ? frames_[i + 1].children : children_.size();
            size_t begin = frames_[i].children;
            size_t keep = i + 1 < frames_.size() ? 0 : 1;
            if (end - begin <= keep) {
                continue;
            }
            std::vector<Item> items;
            size_t given = (end - begin + 1) / 2;
            std::string directory = path_.substr(0, frames_[i].path_size);
            for (size_t c = begin; c < begin + given; ++c) {
                const Child& child = children_[c];
                std::string name = names_.substr(child.name_at, child.name_size);
                items.push_back({directory.empty() ? name : directory + "/" + name, child.bits});
            }
            children_.erase(children_.begin() + static_cast<ptrdiff_t>(begin),
                            children_.begin() + static_cast<ptrdiff_t>(begin + given));
            for (size_t f = i + 1; f < frames_.size(); ++f) {
                frames_[f].children -= given;
            }
            shared_.give(std::move(items));
            return;
        }
    }

    int root_;
    Shared& shared_;
    const TreeOptions& options_;
    TreeVisitor& visitor_;
    DirectoryReader reader_;
    std::string path_;
    std::string names_;
    std::vector<Child> children_;
    std::vector<Frame> frames_;
    size_t open_from_ = 0;  ///< frames below this one have no descriptor
    uint64_t entries_ = 0;
};

}  // namespace

TreeResult walk_tree(int root, const TreeOptions& options, const std::function<TreeVisitor&()>& make) {
    Shared shared;
    shared.queue.push_back({"", 0});
    std::vector<std::unique_ptr<Walker>> walkers;
    std::vector<std::thread> threads;
    walkers.push_back(std::make_unique<Walker>(root, shared, options, make()));
    walkers[0]->large = [&] {
        for (unsigned i = 1; i < options.threads; ++i) {
            walkers.push_back(std::make_unique<Walker>(root, shared, options, make()));
            std::lock_guard<std::mutex> lock(shared.mutex);
            try {
                threads.emplace_back([walker = walkers.back().get()] { walker->run(); });
                ++shared.workers;
            } catch (const std::system_error&) {  // a limit on processes: one thread does it all
                return;
            }
        }
    };
    walkers[0]->run();
    for (std::thread& thread : threads) {
        thread.join();
    }
    TreeResult result;
    for (const auto& walker : walkers) {
        result.unreadable.insert(result.unreadable.end(), walker->unreadable.begin(), walker->unreadable.end());
        result.forced.insert(result.forced.end(), walker->forced.begin(), walker->forced.end());
    }
    std::sort(result.unreadable.begin(), result.unreadable.end());
    std::sort(result.forced.begin(), result.forced.end());
    return result;
}

}  // namespace sbx::hold
