#include "hold/baseline.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "hold/encoding.h"
#include "hold/live.h"
#include "util/text.h"

namespace sbx::hold {
namespace {

constexpr size_t kLargest = size_t{2} << 30;

}  // namespace

Result<Baseline> Baseline::join(const std::string& directory, const std::string& root, const Take& take,
                                const Recover& recover) {
    Baseline baseline;
    baseline.directory_ = directory;
    baseline.name_ = live_name("root-", root);
    if (baseline.name_.empty()) {
        return Error{"io", printable_line(root) + ": " + std::strerror(errno), ""};
    }
    SBX_ASSIGN(Fd turn, take_turn(directory));
    SBX_ASSIGN(baseline.share_, open_live_file(directory, baseline.name_));
    bool joining = others_live(baseline.share_);
    SBX_ASSIGN(std::string bytes, read_all(baseline.share_.get(), kLargest));
    std::string_view rest = bytes;
    bool known = !bytes.empty() && decode(rest, baseline.snapshot_);
    if (joining && !known) {
        return Error{"io", printable_line(path_join(directory, baseline.name_)) + " is damaged",
                     "wait until the other runs have ended"};
    }
    if (!joining) {
        if (known) {
            SBX_CHECK(recover(baseline.snapshot_));
        }
        SBX_ASSIGN(baseline.snapshot_, take());
        SBX_CHECK(write_live_file(baseline.share_, encode(baseline.snapshot_)));
    }
    SBX_CHECK(take_share(baseline.share_));
    return baseline;
}

Result<void> Baseline::leave(const std::function<Result<void>()>& restore) {
    SBX_ASSIGN(Fd turn, take_turn(directory_));
    auto restored = restore();
    bool last = !others_live(share_);
    if (last && restored.ok()) {
        unlink(path_join(directory_, name_).c_str());
    }
    share_.reset();
    tidy(directory_);
    return restored;
}

}  // namespace sbx::hold
