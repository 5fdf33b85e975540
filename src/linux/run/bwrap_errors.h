// Why the command was not started, and what to do about it.
#pragma once

#include <string>

#include "linux/wire/block.h"
#include "run/outcome.h"
#include "util/result.h"

namespace sbx {

/// The remedy of a failure that nothing here explains: doctor then finds out more.
inline constexpr const char* kSeeDoctor = "see sbx doctor";

/// What the machine's settings say about user namespaces for this user.
struct UserNamespaces {
    bool none_allowed = false;   ///< user.max_user_namespaces is 0
    bool switched_off = false;   ///< kernel.unprivileged_userns_clone is 0
    bool apparmor = false;       ///< kernel.apparmor_restrict_unprivileged_userns is 1
};

UserNamespaces look_at_user_namespaces();

/// `text`: all that bwrap wrote to stderr. The error has the code "backend_failed", names bwrap's last line, and
/// its hint is the remedy, in lines; kSeeDoctor where none is known.
Error explain_bwrap_failure(const std::string& text, const UserNamespaces& machine);

/// `message`: the inner stage's ExecFailed or SetupFailed.
Outcome explain_not_started(const wire::Message& message);

}  // namespace sbx
