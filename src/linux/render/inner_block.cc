#include "linux/render/inner_block.h"

#include <string_view>

namespace sbx {
namespace {

template <typename T>
void append(std::string& out, const T& value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_string(std::string& out, std::string_view text) {
    out += text;
    out += '\0';
}

}  // namespace

std::string encode_block(const InnerSettings& settings) {
    wire::BlockHeader header = settings.header;
    header.magic = wire::kBlockMagic;
    header.limit_count = static_cast<uint32_t>(settings.limits.size());
    header.rule_count = static_cast<uint32_t>(settings.rules.size());
    header.keep_count = static_cast<uint32_t>(settings.keep.size());
    header.argument_count = static_cast<uint32_t>(settings.argv.size());
    header.environment_count = static_cast<uint32_t>(settings.environment.size());
    for (size_t i = 0; i < 2; ++i) {
        header.filter_counts[i] = static_cast<uint32_t>(settings.filters[i].size() / sizeof(wire::BlockFilter));
    }
    std::string out;
    append(out, header);
    for (const auto& limit : settings.limits) {
        append(out, limit);
    }
    for (const auto& rule : settings.rules) {
        append(out, wire::BlockRule{rule.access, rule.optional ? 1U : 0U, 0});
    }
    out += settings.filters[0];
    out += settings.filters[1];
    for (int fd : settings.keep) {
        append(out, static_cast<int32_t>(fd));
    }
    append_string(out, settings.cwd);
    for (const auto& rule : settings.rules) {
        append_string(out, rule.path);
    }
    for (const auto& argument : settings.argv) {
        append_string(out, argument);
    }
    for (const auto& entry : settings.environment) {
        append_string(out, entry);
    }
    return out;
}

}  // namespace sbx
