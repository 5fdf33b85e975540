// Reading directories as fast as the system can, never through a link. One implementation per platform.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "host/facts.h"
#include "util/fd.h"

namespace sbx {

struct DirectoryEntry {
    std::string_view name;            ///< valid until the next call
    FileKind kind = FileKind::Other;
};

/// Opens the directory `relative` (without "." and ".."; "" for `root` itself) below `root`. No link on
/// the way is followed, so nobody who renames meanwhile can lead it out. Any length. Invalid and errno
/// when it cannot be opened.
Fd open_directory_below(int root, const std::string& relative);

/// Lists one directory after the other with one buffer.
class DirectoryReader {
  public:
    DirectoryReader();
    ~DirectoryReader();
    DirectoryReader(const DirectoryReader&) = delete;
    DirectoryReader& operator=(const DirectoryReader&) = delete;

    void start(Fd directory);
    int descriptor() const;

    /// The next entry but "." and ".."; false at the end, and after an error.
    bool next(DirectoryEntry& entry);

    /// errno of the failure that ended the list; 0 when it is complete.
    int error() const { return error_; }

  private:
    struct State;
    std::unique_ptr<State> state_;
    int error_ = 0;
};

/// True when `directory` is the top of a file system that holds no files of anybody: /proc, /sys.
bool is_kernel_filesystem(int directory);

}  // namespace sbx
