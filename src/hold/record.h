// What must be known of one writable root to give it back what it had: by the run itself, by its guardian,
// or, when both were lost, by the next run. As bytes in the file of live runs and in the journal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hold/snapshot.h"
#include "plan/plan.h"

namespace sbx::hold {

struct Before {
    Snapshot files;
    std::vector<std::string> followed;  ///< relative; what links and settings led to
    std::vector<std::string> tips;  ///< commits that the repository's refs pointed to: the user's own
};

/// Which directory a record is about, and the repository whose commits count in it.
struct Place {
    std::string root;        ///< absolute
    uint64_t inode = 0;      ///< not the device: its number may be another one after a restart
    int64_t born_ns = 0;
    std::string common_dir;  ///< "" when there is none

    /// False when another directory is there by now, or none.
    bool is_there() const;
};

/// The place that `root` is now; inode 0 when it is missing.
Place place_of(const std::string& root, const HandoverPlan& plan);

struct Record {
    Place place;
    HandoverPlan plan;  ///< without its roots
    Before before;
};

std::string encode_record(const Record& record);
bool decode_record(std::string_view bytes, Record& record);

/// What a record begins with; needs only its first bytes.
bool decode_place(std::string_view& bytes, Place& place);

/// A name for all that decides what is looked at and how it is judged.
std::string digest_of(const HandoverPlan& plan);

}  // namespace sbx::hold
