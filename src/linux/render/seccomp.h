// The system call filters, as classic BPF programs of 8 bytes an instruction. Pure.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "policy/policy.h"

namespace sbx {

/// System calls that no development tool needs, refused with an error number (linux/filter/generate.cc
/// has the list). With `nested` On or Weaker, what a sandbox inside needs stays allowed: user
/// namespaces, mounts.
std::string_view render_seccomp(Nested nested);

/// chown(2) and its kin to an id that the user namespace does not map give EINVAL, which tar, install
/// and fakeroot take for a broken file system. This program answers EPERM instead, as without a
/// sandbox, or, for uid 0, success without effect.
std::string render_ownership_filter(uid_t uid, gid_t gid);

}  // namespace sbx
