// The walk itself: see host/scan.h, which is what to call.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "host/directory.h"
#include "host/scan.h"

namespace sbx {

/// What one thread found. Links that match a pattern are in `masks`, with kind Symlink.
struct Findings {
    std::vector<MaskMatch> masks;
    std::vector<std::string> repositories;
    std::vector<HandoverMatch> handover;
    uint64_t entries = 0;
    uint64_t unreadable = 0;
};

enum class WalkLimit { None, Entries, Time };

/// Walks one root after the other; a second thread joins in when a tree turns out to be large.
class Walk {
  public:
    Walk(const ScanRequest& request, const ScanPatterns& patterns);

    /// Errors are in the findings: what cannot be read is counted.
    void run(const ScanRoot& root);

    Findings& findings() { return total_; }
    WalkLimit limit() const { return limit_.load(); }

  private:
    struct Folder {
        std::string path;             ///< relative to the root; "" for the root
        bool in_dependencies = false;
        bool in_handover = false;
    };
    struct Worker {
        DirectoryReader reader;
        std::vector<Folder> own;      // still to be read
        std::string absolute;         ///< of the folder being read
        Findings found;
        uint64_t uncounted = 0;
    };

    void work(Worker& worker);
    bool take(Worker& worker, Folder& folder);
    void share(Worker& worker);
    void read(Worker& worker, const Folder& folder);
    void look(Worker& worker, const Folder& folder, const DirectoryEntry& entry);
    void cannot_read(Worker& worker, const Folder& folder, int error);
    bool may_go_on(Worker& worker);
    void start_helper();
    bool is_skipped(std::string_view name) const;
    bool is_other_root(const std::string& path) const;
    void merge(Findings& part);

    const ScanRequest& request_;
    const ScanPatterns& patterns_;
    std::vector<std::string> skip_;   ///< folded globs
    const ScanRoot* root_ = nullptr;
    Fd root_fd_;
    dev_t root_device_ = 0;
    std::chrono::steady_clock::time_point deadline_;
    Findings total_;

    std::atomic<uint64_t> entries_{0};
    std::atomic<WalkLimit> limit_{WalkLimit::None};
    std::atomic<int> idle_{0};
    std::mutex mutex_;
    std::condition_variable more_;
    std::vector<Folder> shared_;
    int workers_ = 1;                 // guarded by mutex_, as shared_ is
    std::thread helper_;
    Worker first_;
    Worker second_;
};

}  // namespace sbx
