#include "plan/descriptors.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string_view>

namespace sbx {
namespace {

/// The number at the start of `text`; `text` then starts behind it.
std::optional<int> take_number(std::string_view& text) {
    int number = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || number < 0) {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    return number;
}

void add_named(std::string_view argument, std::set<int>& wanted) {
    constexpr std::string_view kPrefix = "/dev/fd/";
    for (size_t at = argument.find(kPrefix); at != std::string_view::npos; at = argument.find(kPrefix, at + 1)) {
        std::string_view rest = argument.substr(at + kPrefix.size());
        if (auto number = take_number(rest)) {
            wanted.insert(*number);
        }
    }
}

/// `--jobserver-auth=R,W` (make 4.2 and later), `--jobserver-fds=R,W` before.
void add_jobserver(std::string_view flags, std::set<int>& wanted) {
    for (std::string_view option : {"--jobserver-auth=", "--jobserver-fds="}) {
        size_t at = flags.find(option);
        if (at == std::string_view::npos) {
            continue;
        }
        std::string_view rest = flags.substr(at + option.size());
        auto read_end = take_number(rest);
        if (!read_end || rest.empty() || rest.front() != ',') {
            continue;
        }
        rest.remove_prefix(1);
        if (auto write_end = take_number(rest)) {
            wanted.insert({*read_end, *write_end});
        }
    }
}

}  // namespace

std::vector<int> plan_descriptors(const HostFacts& facts, const Invocation& invocation) {
    std::set<int> wanted;
    for (const auto& argument : invocation.argv) {
        add_named(argument, wanted);
    }
    if (const std::string* flags = facts.variable("MAKEFLAGS")) {
        add_jobserver(*flags, wanted);
    }
    std::set<int> kept(invocation.keep_fds.begin(), invocation.keep_fds.end());
    for (int fd : facts.inherited_pipes) {
        if (wanted.count(fd) != 0) {
            kept.insert(fd);
        }
    }
    return {kept.begin(), kept.end()};
}

}  // namespace sbx
