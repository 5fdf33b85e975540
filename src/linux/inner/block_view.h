// Reads the block that sbx wrote (linux/wire/block.h) out of its memfd.
#pragma once

#include "linux/wire/block.h"

namespace sbx::inner {

/// Pointers into the mapped block. The mapping lives as long as the process.
struct BlockView {
    const wire::BlockHeader* header = nullptr;
    const wire::BlockLimit* limits = nullptr;
    const wire::BlockFilter* filters[2] = {nullptr, nullptr};
    const wire::BlockRule* rules = nullptr;
    const int32_t* keep = nullptr;
    const char* cwd = nullptr;
    const char* rule_paths = nullptr;  ///< rule_count strings, one after the other
    char** argv = nullptr;             ///< terminated by nullptr
    char** environment = nullptr;      ///< terminated by nullptr
};

/// Maps the block in `fd`. False when it is not a block of this build.
bool map_block(int fd, BlockView& view);

}  // namespace sbx::inner
