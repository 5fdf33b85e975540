// Which project policies the user has read and accepted, by path and content.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "util/result.h"

namespace sbx {

enum class TrustState { Unknown, Changed, Trusted };

struct TrustRecord {
    std::string path;     ///< canonical path of the policy file
    std::string sha256;
};

/// The records live in `state_dir`/trust, one file for each policy, mode 600 in a directory of mode 700.
class TrustStore {
  public:
    explicit TrustStore(const std::string& state_dir);

    /// Whether this content of `path` (canonical) was accepted. What cannot be read is not trusted.
    TrustState state(const std::string& path, std::string_view text) const;

    Result<void> trust(const std::string& path, std::string_view text) const;

    /// True when there was a record to remove.
    Result<bool> revoke(const std::string& path) const;

    /// Sorted by path.
    std::vector<TrustRecord> list() const;

  private:
    std::string record_path(const std::string& path) const;
    std::string directory_;
};

}  // namespace sbx
