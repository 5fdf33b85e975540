// Path rules on arbitrary bytes: first line a pattern, second line a path.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "policy/patterns.h"
#include "policy/values.h"
#include "policy/zones.h"
#include "util/text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    std::string_view text(reinterpret_cast<const char*>(data), size);
    size_t line = text.find('\n');
    std::string_view pattern = text.substr(0, line);
    std::string path(line == std::string_view::npos ? "" : text.substr(line + 1));
    sbx::Policy policy;
    policy.zones.denied.push_back({std::string(pattern), {}});
    sbx::HostFacts facts;
    facts.home = "/home/u";
    facts.cwd = "/home/u/project";
    facts.config_dir = "/home/u/.config/sbx";
    facts.state_dir = "/home/u/.local/state/sbx";
    bool accepted = sbx::check_path_text(path).ok();
    if (accepted && (path.find('\0') != std::string::npos || path.empty() || path.size() > sbx::kMaxPath)) {
        std::abort();
    }
    std::string resolved = sbx::path_normalise("/" + path);
    sbx::ZoneAnswer answer = sbx::classify(policy, facts, resolved);
    bool write = sbx::check_path(policy, facts, resolved, sbx::PathUse::Write).ok();
    bool read = sbx::check_path(policy, facts, resolved, sbx::PathUse::Read).ok();
    // DENIED is never granted; what may be written may be read; keys and the system never pass.
    bool denied = answer.zone == sbx::Zone::Denied;
    bool secret = sbx::path_within(resolved, "/etc") || sbx::path_within(resolved, "/home/u/.ssh") ||
                  sbx::path_within(resolved, "/home/u/.config/sbx");
    if ((denied && (read || write)) || (write && !read) || (secret && (read || write))) {
        std::abort();
    }
    return 0;
}
