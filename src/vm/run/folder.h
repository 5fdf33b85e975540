// Folders on the host: the private one of a run, and those that a guest is shown.
#pragma once

#include <string>

#include "util/result.h"
#include "vm/render/container.h"

namespace sbx::vm {

/// Opens every component of the absolute `path` without following links and lists the folder itself
/// (T72, T73, T92). Errors: "invalid_folder", "not_found", "not_a_file" (a link), "folder_unreadable".
Result<void> check_shared_folder(const std::string& path);

/// The canonical path of a folder that a policy names, checked like that. Error besides: "not_a_file" when it
/// is a symbolic link itself.
Result<std::string> find_shared_folder(const std::string& path);

/// Makes a folder that only the caller can enter, and the copies of launch.files in it. Sets
/// launch.folder. The links of a source are not followed. Errors: "io", "not_found", "not_a_file".
Result<void> make_private_folder(ContainerLaunch& launch);

/// Removes what make_private_folder() made and the files that lie in it. Never enters a folder.
void remove_private_folder(const std::string& folder);

}  // namespace sbx::vm
