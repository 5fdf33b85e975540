// Writes the block for the inner stage (linux/wire/block.h). Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "linux/wire/block.h"

namespace sbx {

/// What the inner stage must do, in C++ terms.
struct InnerSettings {
    wire::BlockHeader header{};            ///< counts and magic are filled in by encode_block()
    std::vector<wire::BlockLimit> limits;
    std::string filters[2];                ///< BPF programs, 8 bytes an instruction
    std::vector<int> keep;
    struct Rule {
        std::string path;
        uint64_t access = 0;
        bool optional = false;
    };
    std::vector<Rule> rules;
    std::string cwd;
    std::vector<std::string> argv;
    std::vector<std::string> environment;  ///< NAME=VALUE
};

std::string encode_block(const InnerSettings& settings);

}  // namespace sbx
