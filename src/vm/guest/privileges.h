// Gives up every privilege of root, and proves it.
#pragma once

#include "vm/guest/text.h"

namespace sbx::guest {

/// In this order: bounding set, inheritable and ambient sets, groups, group, user, no_new_privs. Then
/// reads /proc/self/status and checks it. False with the reason in `problem`.
bool drop_privileges(Message& problem);

/// True when the text of a /proc/PID/status says: all four user and group ids are kGuestUser, no
/// supplementary group, all five capability sets present and empty, no_new_privs 1.
bool status_is_unprivileged(const char* status, Message& problem);

}  // namespace sbx::guest
