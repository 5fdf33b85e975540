// File operations below one directory that can not be led out of it: no link is ever followed.
#pragma once

#include <string>

#include "hold/snapshot.h"
#include "util/fd.h"
#include "util/result.h"

namespace sbx::hold {

/// Opens the directory that `relative` names or lies in, component by component without following a link.
/// With `create`, missing directories are made (mode 0755). Invalid and errno when that is not possible.
Fd open_parent(int root, const std::string& relative, bool create);

/// The entry itself, not followed; Kind::Other for what is neither file, link nor directory. False and
/// errno when it is missing or cannot be read. The content of a directory is not read.
bool read_item(int directory, const std::string& name, Item& item);

/// Puts `item` at `relative`, replacing what is there unless that is a directory with something in it
/// which `item` is not. The entry appears at once and whole (a new file, renamed into place).
Result<void> put_item(int root, const std::string& relative, const Item& item);

/// Removes the entry, a directory with everything in it. A missing one is no error.
Result<void> remove_item(int root, const std::string& relative);

}  // namespace sbx::hold
