#include "util/git_config.h"

#include <algorithm>
#include <array>

#include "util/text.h"

namespace sbx {
namespace {

constexpr std::array<const char*, 7> kHarmlessCore = {"repositoryformatversion", "filemode", "bare",
                                                      "logallrefupdates", "ignorecase", "symlinks",
                                                      "precomposeunicode"};

std::string_view trim(std::string_view text) {
    size_t start = text.find_first_not_of(" \t\r");
    if (start == std::string_view::npos) {
        return {};
    }
    return text.substr(start, text.find_last_not_of(" \t\r") - start + 1);
}

bool is_word(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    });
}

/// `[section]` or `[section "subsection"]` and nothing else on the line.
bool read_header(std::string_view line, GitConfigEntry& current) {
    if (line.back() != ']') {
        return false;
    }
    std::string_view inside = line.substr(1, line.size() - 2);
    size_t quote = inside.find('"');
    current.subsection.clear();
    if (quote != std::string_view::npos) {
        std::string_view rest = inside.substr(quote + 1);
        if (rest.empty() || rest.back() != '"' || rest.find_first_of("\"\\") != rest.size() - 1) {
            return false;
        }
        current.subsection = rest.substr(0, rest.size() - 1);
        inside = trim(inside.substr(0, quote));
    }
    current.section = lower(inside);
    return is_word(inside);
}

/// Not a remote helper (`ext::sh -c ...` runs a program) and not an option.
bool is_ordinary_url(const std::string& value) {
    return !value.empty() && value.front() != '-' && value.find("::") == std::string::npos;
}

bool is_plain(const std::string& value) { return value.find_first_of("\"\\#;") == std::string::npos; }

std::vector<GitConfigEntry> dangerous(std::vector<GitConfigEntry> entries) {
    entries.erase(std::remove_if(entries.begin(), entries.end(), is_harmless), entries.end());
    return entries;
}

}  // namespace

std::optional<std::vector<GitConfigEntry>> parse_git_config(std::string_view text) {
    std::vector<GitConfigEntry> entries;
    GitConfigEntry current;
    for (const std::string& raw : split(text, '\n')) {
        bool odd = std::any_of(raw.begin(), raw.end(),
                               [](char c) { return (c >= 0 && c < ' ' && c != '\t' && c != '\r') || c == 127; });
        std::string_view line = trim(raw);
        if (odd || (!raw.empty() && raw.back() == '\\') || (!line.empty() && line.back() == '\\')) {
            return std::nullopt;
        }
        if (line.empty() || line.front() == '#' || line.front() == ';') {
            continue;
        }
        if (line.front() == '[') {
            if (!read_header(line, current)) {
                return std::nullopt;
            }
            continue;
        }
        size_t equals = line.find('=');
        std::string_view name = trim(line.substr(0, equals));
        if (current.section.empty() || !is_word(name)) {
            return std::nullopt;
        }
        GitConfigEntry entry = current;
        entry.name = lower(name);
        entry.value = equals == std::string_view::npos ? "true" : trim(line.substr(equals + 1));
        entries.push_back(std::move(entry));
    }
    return entries;
}

bool is_harmless(const GitConfigEntry& entry) {
    if (!is_plain(entry.value)) {
        return false;
    }
    if (entry.section == "core") {
        return entry.subsection.empty() &&
               std::find(kHarmlessCore.begin(), kHarmlessCore.end(), entry.name) != kHarmlessCore.end();
    }
    if (entry.section == "user") {
        return entry.subsection.empty();
    }
    if (entry.section == "branch") {
        return entry.name == "merge" || (entry.name == "remote" && is_ordinary_url(entry.value));
    }
    if (entry.section == "remote") {
        return entry.name == "fetch" || (entry.name == "url" && is_ordinary_url(entry.value));
    }
    return entry.section == "extensions" && entry.name == "objectformat";
}

bool only_harmless_changes(std::string_view before, std::string_view after) {
    if (before == after) {
        return true;
    }
    auto old_entries = parse_git_config(before);
    auto new_entries = parse_git_config(after);
    return old_entries && new_entries && dangerous(*old_entries) == dangerous(*new_entries);
}

}  // namespace sbx
