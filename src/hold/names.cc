#include "hold/names.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "util/text.h"

namespace sbx::hold {
namespace {

constexpr std::array<std::string_view, 26> kHandover = {".vscode",
                                                        ".idea",
                                                        ".zed",
                                                        ".devcontainer",
                                                        ".devcontainer.json",
                                                        ".envrc",
                                                        ".mise.toml",
                                                        "mise.toml",
                                                        ".mise",
                                                        ".tool-versions",
                                                        ".npmrc",
                                                        ".yarnrc",
                                                        ".yarnrc.yml",
                                                        ".pnpmfile.cjs",
                                                        ".claude",
                                                        ".codex",
                                                        ".cursor",
                                                        ".gemini",
                                                        ".mcp.json",
                                                        ".husky",
                                                        ".pre-commit-config.yaml",
                                                        ".gitmodules",
                                                        "sbx.toml",
                                                        ".fusion",
                                                        ".windsurf",
                                                        ".lefthook"};

struct Pair {
    std::string_view parent;
    std::string_view name;
};

constexpr std::array<Pair, 3> kHandoverBelow = {
    {{".cargo", "config.toml"}, {".cargo", "config"}, {".github", "hooks"}}};

constexpr std::array<std::string_view, 9> kInstructions = {"agents.md", "claude.md", "soul.md",
                                                           "memory.md", "user.md",   "gemini.md",
                                                           ".pi",       ".agents",   "agents.override.md"};

constexpr std::array<Pair, 2> kInstructionsBelow = {
    {{".github", "copilot-instructions.md"}, {".github", "instructions"}}};

constexpr std::array<std::string_view, 8> kDependencies = {
    "node_modules", ".venv", "venv", "bower_components", "site-packages", ".tox", ".pnpm-store", ".gradle"};

template <typename Names>
bool among(const Names& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

template <typename Pairs>
bool below(const Pairs& pairs, std::string_view parent, std::string_view name) {
    return std::any_of(pairs.begin(), pairs.end(),
                       [&](const Pair& pair) { return pair.parent == parent && pair.name == name; });
}

constexpr size_t kLongest = 31;

constexpr unsigned char first_of(std::string_view name) {
    char c = name.front();
    return static_cast<unsigned char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/// By the first byte of a name: bit N is set when one of that length is in a list above. This is asked
/// for each file of a tree; nearly all end here.
constexpr std::array<uint32_t, 256> known_lengths() {
    std::array<uint32_t, 256> lengths{};
    auto add = [&](std::string_view name) { lengths[first_of(name)] |= uint32_t{1} << name.size(); };
    for (std::string_view name : kHandover) {
        add(name);
    }
    for (std::string_view name : kInstructions) {
        add(name);
    }
    for (const Pair& pair : kHandoverBelow) {
        add(pair.name);
    }
    for (const Pair& pair : kInstructionsBelow) {
        add(pair.name);
    }
    return lengths;
}

constexpr std::array<uint32_t, 256> kKnownLengths = known_lengths();

}  // namespace

Role role_of(std::string_view parent, std::string_view name) {
    if (name.empty() || name.size() > kLongest || (kKnownLengths[first_of(name)] >> name.size() & 1) == 0) {
        return Role::None;
    }
    std::string folded = lower(name);
    if (among(kHandover, folded)) {
        return Role::Handover;
    }
    if (among(kInstructions, folded)) {
        return Role::Instruction;
    }
    if (folded == "config.toml" || folded == "config" || folded == "hooks" || folded == "instructions" ||
        folded == "copilot-instructions.md") {
        std::string around = lower(parent);
        if (below(kHandoverBelow, around, folded)) {
            return Role::Handover;
        }
        if (below(kInstructionsBelow, around, folded)) {
            return Role::Instruction;
        }
    }
    return Role::None;
}

bool may_hold_handover(std::string_view name) {
    return name.size() <= kLongest && name.front() == '.' &&
           std::any_of(kHandoverBelow.begin(), kHandoverBelow.end(),
                       [folded = lower(name)](const Pair& pair) { return pair.parent == folded; });
}

std::vector<std::string> handover_paths() {
    std::vector<std::string> paths(kHandover.begin(), kHandover.end());
    for (const Pair& pair : kHandoverBelow) {
        paths.push_back(std::string(pair.parent) + "/" + std::string(pair.name));
    }
    return paths;
}

std::vector<std::string> instruction_paths() {
    std::vector<std::string> paths;
    for (std::string_view name : kInstructions) {
        paths.emplace_back(name);
        if (name.front() != '.') {
            // Most agents look for AGENTS.md, some for agents.md.
            std::string shouted(name);
            std::transform(shouted.begin(), shouted.begin() + static_cast<std::ptrdiff_t>(name.find('.')), shouted.begin(),
                           [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
            paths.push_back(shouted);
        }
    }
    for (const Pair& pair : kInstructionsBelow) {
        paths.push_back(std::string(pair.parent) + "/" + std::string(pair.name));
    }
    return paths;
}

bool is_dependency_folder(std::string_view name) {
    return among(kDependencies, name);
}

}  // namespace sbx::hold
