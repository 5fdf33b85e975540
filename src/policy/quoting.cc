#include "policy/quoting.h"

#include <algorithm>
#include <iterator>

namespace sbx {
namespace {

constexpr std::string_view kBlank = " \t";
constexpr std::string_view kLeftOut = "...";
constexpr size_t kMaxShown = 160;  // one huge line must not flood the terminal

std::string_view trimmed(std::string_view text) {
    size_t first = text.find_first_not_of(kBlank);
    return first == std::string_view::npos ? ""
                                           : text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// A name without the quotes and blanks that TOML allows in it: `"sandbox" . env` is sandbox.env.
std::string plain(std::string_view name) {
    std::string out;
    std::copy_if(name.begin(), name.end(), std::back_inserter(out),
                 [](char c) { return c != '"' && c != '\'' && c != ' ' && c != '\t'; });
    return out;
}

/// What the lines above say about a line.
class Place {
  public:
    /// Takes the next line in.
    void pass(std::string_view line) {
        std::string_view text = trimmed(line);
        if (!text.empty() && text.front() == '[') {
            size_t start = text.find_first_not_of('[');
            table_ = start == std::string_view::npos ? "" : plain(text.substr(start, text.find(']') - start));
            key_ = nullptr;
        } else if (size_t equals = line.find('='); equals != std::string_view::npos && text.front() != '#') {
            std::string name = plain(line.substr(0, equals));
            name = table_.empty() ? name : table_ + "." + name;
            for (const KeyAlias& alias : key_aliases()) {
                name = name == alias.alias ? std::string(alias.name) : name;
            }
            key_ = find_key(name);
            if (key_ == nullptr) {
                key_ = find_key(table_);  // a key whose value is a table: vm.folders
            }
        }
    }

    const Key* key() const { return key_; }

  private:
    std::string table_;
    const Key* key_ = nullptr;
};

/// True when `value`, or a part of it, is no variable's.
bool may_be_shown(const Key* key, std::string_view value) {
    if (key == nullptr || key->type == KeyType::Pairs) {
        return false;
    }
    // ["NAME=VALUE"] is a mistake that is made.
    return key->type != KeyType::VariableNames || value.find('=') == std::string_view::npos;
}

QuotedLine cut(std::string_view line, size_t length, uint32_t column) {
    return {std::string(line.substr(0, length)) + std::string(kLeftOut),
            std::min(column, static_cast<uint32_t>(length) + 1)};
}

QuotedLine header(std::string_view line, uint32_t column) {
    size_t close = line.find(']');
    if (close == std::string_view::npos) {
        return {};
    }
    size_t end = line.find_first_not_of("] \t", close);
    return end == std::string_view::npos ? QuotedLine{std::string(line), column} : cut(line, end, column);
}

}  // namespace

LineQuoter::LineQuoter(std::string_view text) {
    Place place;
    while (!text.empty()) {
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (!line.empty() && line.back() == '\r') {
            line.remove_suffix(1);
        }
        place.pass(line);
        lines_.push_back({line, place.key()});
    }
}

QuotedLine LineQuoter::operator()(uint32_t number, uint32_t column) const {
    if (number == 0 || number > lines_.size() || lines_[number - 1].text.size() > kMaxShown) {
        return {};
    }
    auto [line, key] = lines_[number - 1];
    std::string_view text = trimmed(line);
    if (text.empty() || text.front() == '#') {
        return {};
    }
    if (text.front() == '[') {
        return header(line, column);
    }
    size_t equals = line.find('=');
    size_t value = equals == std::string_view::npos
                       ? 0
                       : std::min(line.find_first_not_of(kBlank, equals + 1), line.size());
    if (may_be_shown(key, line.substr(value))) {
        return {std::string(line), column};
    }
    return equals == std::string_view::npos ? QuotedLine{} : cut(line, value, column);
}

}  // namespace sbx
