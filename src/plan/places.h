// The fixed places inside a sandbox. One list, so that the mounts and the environment agree.
#pragma once

#include <string>

#include "host/facts.h"

namespace sbx {

inline constexpr const char* kTempDirectory = "/tmp";

/// $HOME where the caller has none that can be used.
inline constexpr const char* kFallbackHome = "/home/sbx";

/// XDG_RUNTIME_DIR: on the private /tmp, so that it costs no mount of its own.
inline std::string runtime_directory(const HostFacts& facts) {
    return std::string(kTempDirectory) + "/.runtime-" + std::to_string(facts.uid);
}

}  // namespace sbx
