// What must be restored, on the disk: for a power failure, which the directory of live runs, usually in
// memory, does not survive.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "hold/record.h"
#include "util/fd.h"
#include "util/result.h"

namespace sbx::hold {

class Journal {
  public:
    /// Writes one file for each record in `directory`, made when missing, and waits until they are on the disk. They are
    /// locked while the journal lives. What cannot be written is left out: nothing but a power failure needs it.
    static Journal write(const std::string& directory, const std::vector<const Record*>& records);

    /// Removes the files, unless something is not `restored`: then those of folders that are still there stay.
    void end(bool restored);

  private:
    struct Entry {
        std::string path;
        Fd file;
        Place place;
    };
    std::string directory_;
    std::vector<Entry> entries_;
};

/// Calls `restore` for each record of a run that was lost, whose root lies in or around `root` or is it, and
/// removes it then. Under take_turn(). The first error of `restore`. Does nothing where `directory` is missing, is
/// somebody else's or others can write to it.
Result<void> recover_journal(const std::string& directory, const std::string& root,
                             const std::function<Result<void>(const Record&)>& restore);

}  // namespace sbx::hold
