// What `[vm]` may say. Pure.
#pragma once

#include <string_view>

#include "policy/load.h"

namespace sbx {

/// Adds what is wrong with single container settings: an image that is not pinned, a folder id that is no
/// lower-case UUID, a publish that is not on the loopback, addresses that are none (T6, T53, T61).
void check_vm_values(LoadedPolicy& loaded);

/// Adds keys that belong to the other profile (T68).
void check_vm_profile(LoadedPolicy& loaded);

/// The port of this machine that a vm.publish opens, however many zeros it is written with; 0: none.
int published_port(std::string_view publish);

}  // namespace sbx
