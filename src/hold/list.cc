// sbx held.
#include <sys/stat.h>

#include "hold/commands.h"
#include "hold/diff.h"
#include "hold/select.h"
#include "util/text.h"

namespace sbx::hold {
namespace {

constexpr const char* kWords[] = {"created", "changed", "removed"};

const char* word_for(const Held& held, const std::string& path) {
    return kWords[static_cast<size_t>(kind_of_change(held, path))];
}

const Item* item_in(const Snapshot& snapshot, const std::string& path) {
    auto found = snapshot.find(path);
    return found == snapshot.end() ? nullptr : &found->second;
}

std::string octal(uint32_t mode) {
    std::string text;
    for (int shift = 9; shift >= 0; shift -= 3) {
        text += static_cast<char>('0' + ((mode >> shift) & 7));
    }
    return text;
}

const char* kind_word(const Item* item) {
    if (item == nullptr) {
        return "nothing";
    }
    switch (item->kind) {
        case Item::Kind::File: return "file";
        case Item::Kind::Link: return "link";
        case Item::Kind::Directory: return "folder";
        case Item::Kind::Other: break;
    }
    return "special file";
}

/// A link as a line of text, so that a diff shows where it led and leads.
std::string text_of(const Item* item) {
    return item == nullptr || item->kind == Item::Kind::Directory ? "" : item->content;
}

std::string diff_of(const Held& held, const std::string& path) {
    const Item* before = item_in(held.before, path);
    const Item* after = item_in(held.after, path);
    std::string name = printable_line(path);
    std::string out = "--- " + (before == nullptr ? "/dev/null" : "a/" + name) + "\n+++ " +
                      (after == nullptr ? "/dev/null" : "b/" + name) + "\n";
    bool kinds = before != nullptr && after != nullptr && before->kind != after->kind;
    bool special = (before != nullptr && before->kind != Item::Kind::File) ||
                   (after != nullptr && after->kind != Item::Kind::File);
    if (kinds || special) {
        out += std::string("kind: ") + kind_word(before) + " -> " + kind_word(after) + "\n";
    }
    const Item* modes[] = {before, after};
    bool executable = false;
    for (const Item* item : modes) {
        executable =
            executable || (item != nullptr && item->kind == Item::Kind::File && (item->mode & 0111) != 0);
    }
    bool differ = before != nullptr && after != nullptr && before->mode != after->mode && !kinds &&
                  before->kind != Item::Kind::Link;
    if (differ || (executable && before == nullptr)) {
        out += "mode: " + (before == nullptr ? "none" : octal(before->mode)) + " -> " + octal(after->mode) +
               "\n";
    }
    std::string from = text_of(before);
    std::string to = text_of(after);
    if (looks_binary(from) || looks_binary(to)) {
        return out + (from == to ? "" : "binary content differs\n");
    }
    return out + unified_diff(from, to);
}

}  // namespace

Result<std::string> list_held(const Selection& selection, bool diff) {
    SBX_ASSIGN(std::vector<Selected> all, load_selected(selection));
    std::string out;
    for (const Selected& one : all) {
        out += one.held.time + "  " + printable_line(one.held.root) + "\n";
        for (const std::string& path : telling_paths(one.held, one.paths)) {
            out += std::string("  ") + word_for(one.held, path) + "  " + printable_line(path) + "\n";
            if (diff) {
                out += diff_of(one.held, path);
            }
        }
    }
    return out;
}

Result<std::string> list_held_json(const Selection& selection) {
    SBX_ASSIGN(std::vector<Selected> all, load_selected(selection));
    std::string out;
    for (const Selected& one : all) {
        for (const std::string& path : telling_paths(one.held, one.paths)) {
            out += (out.empty() ? "[" : ",\n ") + ("{\"root\": " + json_quote(one.held.root)) +
                   ", \"time\": " + json_quote(one.held.time) + ", \"path\": " + json_quote(path) +
                   ", \"change\": \"" + word_for(one.held, path) + "\"}";
        }
    }
    return out.empty() ? "[]\n" : out + "]\n";
}

}  // namespace sbx::hold
