// Writing Seatbelt's profile language: strings, path filters, rules. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sbx {

/// `bytes` as an SBPL string expression. `"` and `\` are escaped, every byte outside 0x20..0x7e becomes
/// \xNN (Fusion's rule). A long text becomes a (string-append ...): the reader that SBPL descends from
/// holds a literal in 256 bytes.
std::string sbpl_string(std::string_view bytes);

/// `path` and, where it leads through /tmp, /var or /etc, the same with and without /private: the kernel
/// matches the resolved spelling, and nothing else is certain.
std::vector<std::string> path_spellings(const std::string& path);

/// The directories above `path`, "/" first.
std::vector<std::string> path_ancestors(const std::string& path);

/// Text of a profile, one rule a line, one path a rule (a form with very many paths breaks Apple's
/// interpreter, NixOS/nix#4119).
class SbplText {
  public:
    /// `denial_tag`: added to every denial as a message that the system's log then shows; "" for none.
    explicit SbplText(std::string denial_tag) : tag_(std::move(denial_tag)) {}

    /// A comment line; control characters in `text` cannot end it.
    void comment(std::string_view text);
    void blank() { text_ += "\n"; }
    /// Fixed lines that hold no foreign text.
    void raw(std::string_view lines);

    void allow(std::string_view operations, std::string_view filters) { rule("allow", operations, filters); }
    void deny(std::string_view operations, std::string_view filters) { rule("deny", operations, filters); }

    /// The path itself and everything below it. Both filters: `subpath` alone was seen not to match a
    /// plain file (KiroCrew#7743).
    void allow_tree(std::string_view operations, const std::string& path) { tree("allow", operations, path); }
    void deny_tree(std::string_view operations, const std::string& path) { tree("deny", operations, path); }

    /// The path itself only.
    void allow_literal(std::string_view operations, const std::string& path) { one("allow", operations, path); }
    void deny_literal(std::string_view operations, const std::string& path) { one("deny", operations, path); }

    /// Lines between these two are read only where `operation` exists: an unknown name would make the
    /// whole profile fail to compile.
    void begin_when_defined(std::string_view operation);
    void end_when_defined();

    std::string take() { return std::move(text_); }

  private:
    void rule(std::string_view verb, std::string_view operations, std::string_view filters);
    void tree(std::string_view verb, std::string_view operations, const std::string& path);
    void one(std::string_view verb, std::string_view operations, const std::string& path);

    std::string tag_;
    std::string text_;
    std::string indent_;
};

}  // namespace sbx
