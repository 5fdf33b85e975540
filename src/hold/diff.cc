#include "hold/diff.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "util/text.h"

namespace sbx::hold {
namespace {

constexpr ptrdiff_t kContext = 3;
// The work grows with the square of the differences; two unrelated texts are shown as one replacement.
constexpr ptrdiff_t kMostDifferences = 1500;

struct Line {
    char sign;  ///< ' ', '-' or '+'
    std::string_view text;
};

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        size_t end = text.find('\n');
        size_t length = end == std::string_view::npos ? text.size() : end + 1;
        lines.push_back(text.substr(0, length));
        text.remove_prefix(length);
    }
    return lines;
}

using Lines = std::vector<std::string_view>;

/// Myers' greedy algorithm; the furthest points of every round are kept to find the way back.
std::vector<Line> edit_script(const Lines& a, const Lines& b) {
    ptrdiff_t n = static_cast<ptrdiff_t>(a.size());
    ptrdiff_t m = static_cast<ptrdiff_t>(b.size());
    ptrdiff_t most = std::min(n + m, kMostDifferences);
    auto at = [](const Lines& lines, ptrdiff_t i) { return lines[static_cast<size_t>(i)]; };
    std::vector<std::vector<ptrdiff_t>> rounds;
    std::vector<ptrdiff_t> furthest(static_cast<size_t>(2 * most + 3), 0);
    auto index = [most](ptrdiff_t k) { return static_cast<size_t>(k + most + 1); };
    ptrdiff_t found = -1;
    for (ptrdiff_t d = 0; d <= most && found < 0; ++d) {
        rounds.push_back(std::vector<ptrdiff_t>(furthest.begin() + (most + 1 - d - 1),
                                                furthest.begin() + (most + 1 + d + 2)));
        for (ptrdiff_t k = -d; k <= d; k += 2) {
            bool down = k == -d || (k != d && furthest[index(k - 1)] < furthest[index(k + 1)]);
            ptrdiff_t x = down ? furthest[index(k + 1)] : furthest[index(k - 1)] + 1;
            while (x < n && x - k < m && at(a, x) == at(b, x - k)) {
                ++x;
            }
            furthest[index(k)] = x;
            if (x >= n && x - k >= m) {
                found = d;
                break;
            }
        }
    }
    std::vector<Line> script;
    if (found < 0) {
        for (std::string_view line : a) {
            script.push_back({'-', line});
        }
        for (std::string_view line : b) {
            script.push_back({'+', line});
        }
        return script;
    }
    ptrdiff_t x = n;
    ptrdiff_t y = m;
    for (ptrdiff_t d = found; d >= 0; --d) {
        const auto& before = rounds[static_cast<size_t>(d)];
        auto point = [&](ptrdiff_t k) { return before[static_cast<size_t>(k + d + 1)]; };
        ptrdiff_t k = x - y;
        bool down = k == -d || (k != d && point(k - 1) < point(k + 1));
        ptrdiff_t from_x = d == 0 ? 0 : down ? point(k + 1) : point(k - 1);
        ptrdiff_t from_y = d == 0 ? 0 : from_x - (down ? k + 1 : k - 1);
        while (x > from_x && y > from_y) {
            script.push_back({' ', at(a, --x)});
            --y;
        }
        if (d > 0) {
            if (x > from_x) {
                script.push_back({'-', at(a, --x)});
            } else if (y > from_y) {
                script.push_back({'+', at(b, --y)});
            }
        }
    }
    std::reverse(script.begin(), script.end());
    return script;
}

std::string range(ptrdiff_t first, ptrdiff_t count) {
    return std::to_string(count == 0 ? first : first + 1) + (count == 1 ? "" : "," + std::to_string(count));
}

std::string shown(const Line& line) {
    bool ended = !line.text.empty() && line.text.back() == '\n';
    std::string text = printable(ended ? line.text.substr(0, line.text.size() - 1) : line.text);
    return line.sign + text + (ended ? "\n" : "\n\\ No newline at end of file\n");
}

}  // namespace

bool looks_binary(std::string_view content) {
    return content.find('\0') != std::string_view::npos || !is_utf8(content);
}

std::string unified_diff(std::string_view before, std::string_view after) {
    if (before == after) {
        return "";
    }
    std::vector<Line> script = edit_script(lines_of(before), lines_of(after));
    ptrdiff_t size = static_cast<ptrdiff_t>(script.size());
    auto changed = [&](ptrdiff_t i) { return script[static_cast<size_t>(i)].sign != ' '; };
    std::string out;
    ptrdiff_t old_line = 0;
    ptrdiff_t new_line = 0;
    ptrdiff_t at = 0;
    while (at < size) {
        ptrdiff_t first = at;
        while (first < size && !changed(first)) {
            ++first;
        }
        if (first == size) {
            break;
        }
        ptrdiff_t begin = std::max(at, first - kContext);
        old_line += begin - at;
        new_line += begin - at;
        ptrdiff_t end = first;
        for (ptrdiff_t i = first; i < size && i - end <= 2 * kContext; ++i) {
            if (changed(i)) {
                end = i + 1;
            }
        }
        end = std::min(size, end + kContext);
        std::string body;
        ptrdiff_t old_count = 0;
        ptrdiff_t new_count = 0;
        for (ptrdiff_t i = begin; i < end; ++i) {
            const Line& line = script[static_cast<size_t>(i)];
            old_count += line.sign != '+' ? 1 : 0;
            new_count += line.sign != '-' ? 1 : 0;
            body += shown(line);
        }
        out += "@@ -" + range(old_line, old_count) + " +" + range(new_line, new_count) + " @@\n" + body;
        old_line += old_count;
        new_line += new_count;
        at = end;
    }
    return out;
}

}  // namespace sbx::hold
