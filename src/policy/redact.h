// Keeps secrets out of what sbx itself prints (pine's layer 10). The command's own output is not touched.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/facts.h"

namespace sbx {

class Redactor {
  public:
    Redactor() = default;

    /// Values shorter than 8 characters are left alone: they would hit innocent text. The others are found
    /// in plain text, in shell words and in JSON strings.
    explicit Redactor(const std::vector<std::string>& secrets);

    /// `text` with every secret replaced by `[redacted]`, longest first.
    std::string operator()(std::string_view text) const;

  private:
    std::vector<std::string> secrets_;
};

/// The values of the caller's variables whose names look secret, and of `dotenv`, the text of the
/// worktree's `.env` ("" when there is none).
std::vector<std::string> known_secrets(const HostFacts& facts, std::string_view dotenv);

}  // namespace sbx
