#include "hold/record.h"

#include <sys/stat.h>

#include "hold/encoding.h"
#include "hold/stat_times.h"
#include "policy/sha256.h"
#include "util/text.h"

namespace sbx::hold {
namespace {

std::string encode_list(const std::vector<std::string>& list) {
    std::string all;
    for (const std::string& text : list) {
        all += encode_text(text);
    }
    return encode_text(all);
}

bool decode_list(std::string_view& bytes, std::vector<std::string>& list) {
    std::string all;
    if (!decode_text(bytes, all)) {
        return false;
    }
    for (std::string_view rest = all; !rest.empty();) {
        if (!decode_text(rest, list.emplace_back())) {
            return false;
        }
    }
    return true;
}

std::string encode_plan(const HandoverPlan& plan) {
    std::string flags = std::to_string(static_cast<int>(plan.handover)) + (plan.hold_instructions ? "h" : "-") +
                        (plan.report_instructions ? "r" : "-");
    return encode_text(flags) + encode_text(plan.home) + encode_text(plan.top_level) + encode_text(plan.git_dir) +
           encode_text(plan.common_dir) + encode_list(plan.git_dirs) + encode_list(plan.read_only) +
           encode_list(plan.hooks);
}

bool decode_plan(std::string_view& bytes, HandoverPlan& plan) {
    std::string flags;
    if (!decode_text(bytes, flags) || flags.size() != 3 || flags[0] < '0' ||
        flags[0] > '0' + static_cast<int>(Handover::Protect)) {
        return false;
    }
    plan.handover = static_cast<Handover>(flags[0] - '0');
    plan.hold_instructions = flags[1] == 'h';
    plan.report_instructions = flags[2] == 'r';
    return decode_text(bytes, plan.home) && decode_text(bytes, plan.top_level) && decode_text(bytes, plan.git_dir) &&
           decode_text(bytes, plan.common_dir) && decode_list(bytes, plan.git_dirs) &&
           decode_list(bytes, plan.read_only) && decode_list(bytes, plan.hooks);
}

std::string encode_place(const Place& place) {
    return encode_text(place.root) + encode_number(place.inode) +
           encode_number(static_cast<uint64_t>(place.born_ns)) + encode_text(place.common_dir);
}

}  // namespace

bool Place::is_there() const {
    struct stat status {};
    return lstat(root.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_ino == inode &&
           hold::born_ns(root) == born_ns;
}

Place place_of(const std::string& root, const HandoverPlan& plan) {
    Place place;
    struct stat status {};
    place.root = root;
    place.common_dir = plan.common_dir;
    if (stat(root.c_str(), &status) == 0) {
        place.inode = status.st_ino;
        place.born_ns = hold::born_ns(root);
    }
    return place;
}

std::string encode_record(const Record& record) {
    return encode_place(record.place) + encode_plan(record.plan) + encode_list(record.before.tips) +
           encode_list(record.before.followed) + encode(record.before.files);
}

bool decode_place(std::string_view& bytes, Place& place) {
    uint64_t born = 0;
    bool whole = decode_text(bytes, place.root) && decode_number(bytes, place.inode) && decode_number(bytes, born) &&
                 decode_text(bytes, place.common_dir);
    place.born_ns = static_cast<int64_t>(born);
    return whole;
}

bool decode_record(std::string_view bytes, Record& record) {
    return decode_place(bytes, record.place) && decode_plan(bytes, record.plan) &&
           decode_list(bytes, record.before.tips) && decode_list(bytes, record.before.followed) &&
           decode(bytes, record.before.files);
}

std::string digest_of(const HandoverPlan& plan) {
    // Another version of sbx with other records must not take these for its own, and the other way round.
    return sha256_hex("records 1\n" + encode_plan(plan)).substr(0, 16);
}

}  // namespace sbx::hold
