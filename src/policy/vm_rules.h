// What `[vm]` may say. Pure.
#pragma once

#include "policy/load.h"

namespace sbx {

/// Adds what is wrong with the container settings: an image that is not pinned, a folder id that is no
/// lower-case UUID, a publish that is not on the loopback, addresses that are none, keys that belong to
/// the other profile (T6, T53, T61, T68).
void check_vm(LoadedPolicy& loaded);

}  // namespace sbx
