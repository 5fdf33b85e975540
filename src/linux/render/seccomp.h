// The system call filters, as classic BPF programs. Pure but for libseccomp's export through a memfd.
#pragma once

#include <string>

#include "policy/policy.h"
#include "util/result.h"

namespace sbx {

/// System calls that no development tool needs, refused with an error number. Bytes of the program,
/// 8 per instruction. With `nested` On or Weaker, what a sandbox inside needs stays allowed: user
/// namespaces, mounts.
Result<std::string> render_seccomp(Nested nested);

/// chown(2) and its kin to an id that the user namespace does not map give EINVAL, which tar, install
/// and fakeroot take for a broken file system. This program answers EPERM instead, as without a
/// sandbox, or, for uid 0, success without effect.
std::string render_ownership_filter(uid_t uid, gid_t gid);

}  // namespace sbx
