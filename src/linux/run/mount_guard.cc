#include "linux/run/mount_guard.h"

#include "linux/run/protect.h"

namespace sbx {

Result<void> MountGuard::prepare(pid_t inner) {
    SBX_ASSIGN(entry_, SandboxEntry::open(inner));
    return entry_->run([this] { return make_protective(mounts_, [](size_t) { return true; }); });
}

}  // namespace sbx
