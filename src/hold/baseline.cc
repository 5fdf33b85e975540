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

std::string encode_before(const Before& before) {
    std::string tips;
    for (const std::string& tip : before.tips) {
        tips += tip + "\n";
    }
    return encode(before.files) + encode_text(tips);
}

bool decode_before(std::string_view bytes, Before& before) {
    std::string tips;
    if (!decode(bytes, before.files) || !decode_text(bytes, tips)) {
        return false;
    }
    before.tips = split(tips, '\n');
    before.tips.pop_back();  // after the last newline
    return true;
}

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
    std::string path;
    bool known = decode_text(rest, path) && decode_before(rest, baseline.before_);
    if (joining && !known) {
        return Error{"io", printable_line(path_join(directory, baseline.name_)) + " is damaged",
                     "wait until the other runs have ended"};
    }
    if (!joining) {
        if (known) {
            SBX_CHECK(recover(baseline.before_));
        }
        SBX_ASSIGN(baseline.before_, take());
        SBX_CHECK(write_live_file(baseline.share_, encode_text(root) + encode_before(baseline.before_)));
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
    end_share(share_);
    tidy(directory_);
    return restored;
}

}  // namespace sbx::hold
