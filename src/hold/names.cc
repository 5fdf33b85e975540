#include "hold/names.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "util/text.h"

namespace sbx::hold {
namespace {

// clang-format off
constexpr std::array<std::string_view, 78> kHandover = {
    ".vscode", ".idea", ".zed", ".helix", ".nvim.lua", ".nvimrc", ".exrc", ".vimrc", ".dir-locals.el",
    ".gdbinit", ".lldbinit", ".devcontainer", ".devcontainer.json", ".envrc", ".mise.toml",
    ".mise.local.toml", "mise.toml", "mise.local.toml", ".mise", ".tool-versions", ".npmrc", ".yarnrc",
    ".yarnrc.yml", ".pnpmfile.cjs", ".pnpmfile.mjs", "bunfig.toml", ".claude", ".codex", ".cursor",
    ".gemini", ".mcp.json", ".windsurf", ".opencode", ".opencode.json", ".opencode.jsonc", "opencode.json",
    "opencode.jsonc", "crush.json", ".crush.json", ".aider.conf.yml", ".roo", ".clinerules", ".cline",
    ".kilocode", ".junie", ".augment", ".amazonq", ".continue", ".trae", ".qwen", ".factory", ".husky",
    ".pre-commit-config.yaml", ".lefthook", ".lefthook-local", ".gitmodules", "sbx.toml", ".fusion",
    // read anew at each hook of git
    "lefthook.yml", "lefthook.yaml", "lefthook.toml", "lefthook.json", "lefthook.jsonc",
    "lefthook-local.yml", "lefthook-local.yaml", "lefthook-local.toml", "lefthook-local.json",
    "lefthook-local.jsonc", ".lefthook.yml", ".lefthook.yaml", ".lefthook.toml", ".lefthook.json",
    ".lefthook.jsonc", ".lefthook-local.yml", ".lefthook-local.yaml", ".lefthook-local.toml",
    ".lefthook-local.json", ".lefthook-local.jsonc"};

struct Pair {
    std::string_view parent;
    std::string_view name;
};

constexpr std::array<Pair, 6> kHandoverBelow = {{
    {".cargo", "config.toml"}, {".cargo", "config"}, {".github", "hooks"}, {".kiro", "settings"},
    {".kiro", "hooks"}, {".kiro", "agents"}}};

// Honest work makes these folders, for other things.
constexpr std::array<Pair, 17> kHandoverAmongOthers = {{
    {".yarn", "releases"}, {".yarn", "plugins"}, {".config", "mise"}, {".config", "mise.toml"},
    {"mise", "config.toml"}, {".hg", "hgrc"}, {".hg", "hgrc-not-shared"}, {".config", "lefthook.yml"},
    {".config", "lefthook.yaml"}, {".config", "lefthook.toml"}, {".config", "lefthook.json"},
    {".config", "lefthook.jsonc"}, {".config", "lefthook-local.yml"}, {".config", "lefthook-local.yaml"},
    {".config", "lefthook-local.toml"}, {".config", "lefthook-local.json"}, {".config", "lefthook-local.jsonc"}}};

constexpr std::array<std::string_view, 24> kInstructions = {
    "agents.md", "agents.override.md", "agents.local.md", "agent.md", "claude.md", "claude.local.md",
    "soul.md", "memory.md", "user.md", "gemini.md", "qwen.md", "warp.md", "crush.md", ".pi", ".agents",
    ".agent", ".cursorrules", ".windsurfrules", ".roorules", ".roomodes", ".goosehints", ".continuerules",
    ".augment-guidelines", ".rules"};

constexpr std::array<Pair, 7> kInstructionsBelow = {{
    {".github", "copilot-instructions.md"}, {".github", "instructions"}, {".github", "prompts"},
    {".github", "agents"}, {".github", "chatmodes"}, {".github", "skills"}, {".kiro", "steering"}}};
// clang-format on

// Any name with this ending: tasks and settings, as in .vscode.
constexpr std::string_view kWorkspace = ".code-workspace";

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
    for (const Pair& pair : kHandoverAmongOthers) {
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
    if (name.size() >= kWorkspace.size() && name[name.size() - kWorkspace.size()] == '.' &&
        lower(name.substr(name.size() - kWorkspace.size())) == kWorkspace) {
        return Role::Handover;
    }
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
    std::string around = lower(parent);
    if (below(kHandoverBelow, around, folded) || below(kHandoverAmongOthers, around, folded)) {
        return Role::Handover;
    }
    return below(kInstructionsBelow, around, folded) ? Role::Instruction : Role::None;
}

bool may_hold_handover(std::string_view name) {
    std::string folded = name.size() <= kLongest ? lower(name) : "";
    auto leads = [&folded](const Pair& pair) { return pair.parent == folded; };
    return std::any_of(kHandoverBelow.begin(), kHandoverBelow.end(), leads) ||
           std::any_of(kHandoverAmongOthers.begin(), kHandoverAmongOthers.end(), leads);
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

bool counts_by_name(std::string_view root_name, const std::string& path) {
    std::string parent(root_name);
    bool counts = false;
    bool dependencies = false;
    for (std::string& name : path_components(path)) {
        if (counts) {
            counts = !keeps_worktrees(parent, name);
        } else if (!dependencies) {
            counts = role_of(parent, name) != Role::None;
        }
        dependencies = !counts && (dependencies || is_dependency_folder(name));
        parent = std::move(name);
    }
    return counts || (!dependencies && !parent.empty() && may_hold_handover(parent));
}

bool keeps_worktrees(std::string_view parent, std::string_view name) {
    return name == "worktrees" && (parent == ".claude" || parent == ".fusion");
}

bool is_dependency_folder(std::string_view name) {
    return among(kDependencies, name);
}

}  // namespace sbx::hold
