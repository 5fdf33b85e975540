// File operations below one directory that can not be led out of it: no link is ever followed. Nothing
// that holds other things is ever removed.
#pragma once

#include <string>
#include <vector>

#include "hold/snapshot.h"
#include "util/fd.h"
#include "util/result.h"

namespace sbx::hold {

/// Opens the directory in which the entry `path` (absolute) lies, for use as a starting point only. Invalid
/// when a component is a link or missing.
Fd folder_of(const std::string& path);

/// Opens the directory in which the entry `relative` lies, component by component without following a
/// link. With `create`, missing directories are made (mode 0755). Invalid and errno when not possible.
Fd open_parent(int root, const std::string& relative, bool create);

struct ReadOptions {
    const Item* known = nullptr;       ///< the content of this one is taken if the file is untouched since
    size_t limit = size_t{256} << 20;  ///< a larger file is read as not whole
    bool force = false;                ///< a file of the caller's own whose mode forbids reading is opened up
};

/// The entry itself, not followed; Kind::Other for what is neither file, link nor directory. False and
/// errno when it is missing. A file that cannot be read is not whole; of a directory nothing is read.
bool read_item(int directory, const std::string& name, const ReadOptions& options, Item& item);

/// Puts `item` at `relative`. It appears at once and complete, and takes the place of a file, a link or an
/// empty directory. Its folders are made when missing. Error "io", also when another thing is in the way.
Result<void> put_item(int root, const std::string& relative, const Item& item);

/// Removes a file, a link or an empty directory. A missing one and a directory with something in it are
/// no errors.
Result<void> remove_entry(int root, const std::string& relative);

/// Gives the entry a new name in `root`, where nothing obeys it. Returns that name.
Result<std::string> move_aside(int root, const std::string& relative);

/// Everything below `directory`, relative to it, folders before what is in them. No link is followed.
std::vector<std::string> paths_below(int directory);

}  // namespace sbx::hold
