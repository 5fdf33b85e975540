#include "util/git_config.h"

#include <algorithm>

namespace sbx {
namespace {

constexpr size_t kMaxBytes = 1 << 20;

// git's own tables: the C library's would follow the locale.
bool is_space(int c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_letter(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_key_char(int c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '-'; }
char small(int c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }

class Reader {
  public:
    explicit Reader(std::string_view text) : text_(text) {
        if (text_.substr(0, 3) == "\xef\xbb\xbf") {
            at_ = 3;
        }
    }

    Result<std::vector<GitConfigEntry>> read() {
        bool comment = false;
        for (;;) {
            int c = next();
            if (c == '\n') {
                if (ended_) {
                    return std::move(entries_);
                }
                comment = false;
            } else if (comment || is_space(c)) {
                continue;
            } else if (c == '#' || c == ';') {
                comment = true;
            } else if (c == '[' ? !read_header() : !(is_letter(c) && read_entry(c))) {
                return Error{"syntax", "bad git configuration line " + std::to_string(line_), ""};
            }
        }
    }

  private:
    /// The next byte; CRLF counts as LF, and the end of the text as one more LF.
    int next() {
        if (at_ >= text_.size()) {
            ended_ = true;
            return '\n';
        }
        int c = static_cast<unsigned char>(text_[at_++]);
        if (c == '\r' && at_ < text_.size() && text_[at_] == '\n') {
            c = static_cast<unsigned char>(text_[at_++]);
        }
        line_ += c == '\n' ? 1 : 0;
        return c;
    }

    bool read_header() {
        base_.clear();
        for (;;) {
            int c = next();
            if (c == ']') {
                return !base_.empty();
            }
            if (is_space(c)) {
                return read_subsection(c);
            }
            if (!is_key_char(c) && c != '.') {
                return false;
            }
            base_ += small(c);
        }
    }

    bool read_subsection(int c) {
        while (is_space(c)) {
            if (c == '\n') {
                return false;
            }
            c = next();
        }
        if (c != '"') {
            return false;
        }
        base_ += '.';
        for (;;) {
            c = next();
            if (c == '"') {
                return next() == ']';
            }
            if (c == '\\') {
                c = next();
            }
            if (c == '\n') {
                return false;
            }
            base_ += static_cast<char>(c);
        }
    }

    bool read_entry(int c) {
        std::string name(1, small(c));
        for (c = next(); is_key_char(c); c = next()) {
            name += small(c);
        }
        while (c == ' ' || c == '\t') {
            c = next();
        }
        std::optional<std::string> value;
        if (c == '=') {
            value.emplace();
            if (!read_value(*value)) {
                return false;
            }
        } else if (c != '\n') {
            return false;
        }
        add(base_ + "." + name, std::move(value));
        return true;
    }

    bool read_value(std::string& value) {
        bool quoted = false;
        bool comment = false;
        std::string spaces;  // kept only when something follows them
        for (;;) {
            int c = next();
            if (c == '\n') {
                return !quoted;
            }
            if (comment) {
                continue;
            }
            if (is_space(c) && !quoted) {
                if (!value.empty()) {
                    spaces += static_cast<char>(c);
                }
                continue;
            }
            if (!quoted && (c == ';' || c == '#')) {
                comment = true;
                continue;
            }
            value += spaces;
            spaces.clear();
            if (c == '"') {
                quoted = !quoted;
            } else if (c != '\\') {
                value += static_cast<char>(c);
            } else if (!read_escape(value)) {
                return false;
            }
        }
    }

    bool read_escape(std::string& value) {
        int c = next();
        switch (c) {
            case '\n': return true;  // a continued line; at the end of the text git ends the value here
            case 't': value += '\t'; return true;
            case 'b': value += '\b'; return true;
            case 'n': value += '\n'; return true;
            case '\\':
            case '"': value += static_cast<char>(c); return true;
            default: return false;
        }
    }

    /// git hands keys and values on as C strings, so a NUL ends them: [core "hookspath<NUL>"] x = y sets
    /// core.hookspath for git, and must do so here.
    void add(std::string key, std::optional<std::string> value) {
        key.resize(std::min(key.size(), key.find('\0')));
        if (value) {
            value->resize(std::min(value->size(), value->find('\0')));
        }
        GitConfigEntry entry;
        size_t first = key.find('.');
        size_t last = key.rfind('.');
        entry.section = key.substr(0, first);
        if (first != std::string::npos) {
            entry.name = key.substr(last + 1);
            if (last > first) {
                entry.subsection = key.substr(first + 1, last - first - 1);
            }
        }
        entry.value = std::move(value);
        entries_.push_back(std::move(entry));
    }

    std::string_view text_;
    size_t at_ = 0;
    size_t line_ = 1;
    bool ended_ = false;
    std::string base_;  ///< "section" or "section.subsection" of the last header
    std::vector<GitConfigEntry> entries_;
};

std::string quoted(std::string_view text, bool value) {
    std::string out = "\"";
    for (char c : text) {
        switch (c) {
            case '"':
            case '\\': out += '\\'; out += c; break;
            case '\n': out += value ? "\\n" : ""; break;  // a header cannot hold one
            case '\0': break;
            default: out += c;
        }
    }
    return out + "\"";
}

}  // namespace

std::string git_config_key(const GitConfigEntry& entry) {
    std::string key = entry.section;
    if (entry.subsection) {
        key += "." + *entry.subsection;
    }
    return key + "." + entry.name;
}

Result<std::vector<GitConfigEntry>> parse_git_config(std::string_view text) {
    if (text.size() > kMaxBytes) {
        return Error{"oversized", "git configuration of more than 1 MiB", ""};
    }
    return Reader(text).read();
}

std::string write_git_config(const std::vector<GitConfigEntry>& entries) {
    std::string out;
    const GitConfigEntry* last = nullptr;
    for (const GitConfigEntry& entry : entries) {
        if (last == nullptr || last->section != entry.section || last->subsection != entry.subsection) {
            out += "[" + entry.section;
            if (entry.subsection) {
                out += " " + quoted(*entry.subsection, false);
            }
            out += "]\n";
        }
        out += "\t" + entry.name;
        if (entry.value) {
            out += " = " + quoted(*entry.value, true);
        }
        out += "\n";
        last = &entry;
    }
    return out;
}

}  // namespace sbx
