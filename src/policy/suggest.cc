#include "policy/suggest.h"

#include <algorithm>

#include "util/text.h"

namespace sbx {
namespace {

constexpr size_t kMaxWord = 64;

std::string folded(std::string_view word) {
    std::string out;
    for (char c : lower(word.substr(0, kMaxWord))) {
        if (c != '_' && c != '-') {
            out += c;
        }
    }
    return out;
}

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<size_t>> cost(a.size() + 1, std::vector<size_t>(b.size() + 1));
    for (size_t i = 0; i <= a.size(); ++i) {
        for (size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                cost[i][j] = i + j;
                continue;
            }
            size_t replace = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replace});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
            }
        }
    }
    return cost[a.size()][b.size()];
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
    std::string wanted = folded(word);
    std::string_view best;
    size_t best_distance = std::max<size_t>(1, wanted.size() / 3) + 1;
    for (std::string_view candidate : candidates) {
        size_t apart = distance(wanted, folded(candidate));
        if (apart < best_distance) {
            best = candidate;
            best_distance = apart;
        }
    }
    return std::string(best);
}

}  // namespace sbx
