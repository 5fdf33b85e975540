#include "hold/baseline.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "hold/encoding.h"
#include "hold/live.h"
#include "util/text.h"

namespace sbx::hold {
namespace {

constexpr const char* kPrefix = "root-";
constexpr size_t kLargest = size_t{2} << 30;
constexpr size_t kBeginning = 16384;  ///< holds every record's place

bool overlap(const std::string& one, const std::string& other) {
    return path_within(one, other) || path_within(other, one);
}

struct OtherRun {
    std::string name;
    Fd file;
    bool live = false;
    Place place;

    std::optional<Record> read() const {
        lseek(file.get(), 0, SEEK_SET);
        auto bytes = read_all(file.get(), kLargest);
        Record record;
        return bytes.ok() && decode_record(*bytes, record) ? std::optional<Record>(std::move(record)) : std::nullopt;
    }
};

/// The files of runs, but for those that nobody wrote anything into. `own`: the file that the caller has locked.
std::vector<OtherRun> other_runs(const std::string& directory, const std::string& own) {
    std::vector<OtherRun> runs;
    for (const std::string& name : live_files(directory, kPrefix)) {
        OtherRun run;
        run.name = name;
        run.file = Fd(open(path_join(directory, name).c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
        std::string bytes(kBeginning, '\0');
        ssize_t size = run.file.valid() ? pread(run.file.get(), bytes.data(), bytes.size(), 0) : -1;
        std::string_view rest(bytes.data(), size > 0 ? static_cast<size_t>(size) : 0);
        if (decode_place(rest, run.place)) {
            run.live = name != own && others_live(run.file);
            runs.push_back(std::move(run));
        }
    }
    return runs;
}

/// Restores after runs that nobody restored after, and asks the live ones.
Result<Known> ask_others(const std::string& directory, const std::string& name, const std::string& root,
                         const HandoverPlan& plan, const Baseline::Recover& recover) {
    Known known;
    std::vector<OtherRun> runs = other_runs(directory, name);
    for (const OtherRun& run : runs) {
        if (!run.live && overlap(run.place.root, root) && run.place.is_there()) {
            if (auto lost = run.read()) {
                SBX_CHECK(recover(*lost));
            }
            if (run.name != name) {
                unlink(path_join(directory, run.name).c_str());
            }
        }
    }
    for (const OtherRun& run : runs) {
        bool same_repository = !plan.common_dir.empty() && run.place.common_dir == plan.common_dir;
        bool near = overlap(run.place.root, root);
        auto record = run.live && (near || same_repository) ? run.read() : std::nullopt;
        if (!record) {
            continue;
        }
        if (same_repository && !known.repository) {
            known.repository = true;
            known.tips = record->before.tips;
        }
        if (near) {
            known.others.push_back(std::move(*record));
        }
    }
    return known;
}

}  // namespace

Result<Baseline> Baseline::join(const std::string& directory, const std::string& root, const HandoverPlan& plan,
                                const Take& take, const Recover& recover) {
    Baseline baseline;
    baseline.directory_ = directory;
    baseline.name_ = live_name(kPrefix, root);
    if (baseline.name_.empty()) {
        return Error{"io", printable_line(root) + ": " + std::strerror(errno), ""};
    }
    baseline.name_ += "-" + digest_of(plan);
    SBX_ASSIGN(Fd turn, take_turn(directory));
    SBX_ASSIGN(baseline.share_, open_live_file(directory, baseline.name_));
    if (others_live(baseline.share_)) {
        SBX_ASSIGN(std::string bytes, read_all(baseline.share_.get(), kLargest));
        if (!decode_record(bytes, baseline.record_)) {
            return Error{"io", printable_line(path_join(directory, baseline.name_)) + " is damaged",
                         "wait until the other runs have ended"};
        }
    } else {
        SBX_ASSIGN(Known known, ask_others(directory, baseline.name_, root, plan, recover));
        baseline.record_.place = place_of(root, plan);
        baseline.record_.plan = plan;
        SBX_ASSIGN(baseline.record_.before, take(known));
        SBX_CHECK(write_live_file(baseline.share_, encode_record(baseline.record_), path_join(directory, baseline.name_)));
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

bool is_live_around(const std::string& directory, const std::string& root) {
    std::vector<OtherRun> runs = other_runs(directory, "");
    return std::any_of(runs.begin(), runs.end(),
                       [&](const OtherRun& run) { return run.live && overlap(run.place.root, root); });
}

}  // namespace sbx::hold
