// Small pure text functions: quoting, cleaning, splitting, paths.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sbx {

/// `word` as one POSIX shell word; unchanged when it needs no quotes. Any bytes but NUL.
std::string shell_quote(std::string_view word);

/// All `words`, quoted and separated by one space, to be shown: a word with control characters becomes
/// `$'\x1b'`, which bash, zsh and ksh read back as it was, and which leaves the terminal alone.
std::string shell_join(const std::vector<std::string>& words);

/// `text` made safe to print on a terminal: CR, VT, FF and U+0085 become a space; other control
/// characters (C0 but tab and newline, DEL, C1) and bytes that are not UTF-8 become `\xNN`. A hostile
/// file name must not drive the terminal (T86, CVE-2023-28101).
std::string printable(std::string_view text);

/// As printable(), and newlines become a space: for names inside a one-line message.
std::string printable_line(std::string_view text);

/// True for strictly valid UTF-8 (no surrogates, no overlong forms).
bool is_utf8(std::string_view text);

std::vector<std::string> split(std::string_view text, char separator);

/// The components of a path, without empty ones and ".". ".." is kept.
std::vector<std::string> path_components(std::string_view path);

/// True when `path` equals `directory` or lies below it, compared by component ("/tmp2" is not in
/// "/tmp"). Both absolute and without ".", ".." and doubled slashes.
bool path_within(std::string_view path, std::string_view directory);

/// `directory` + "/" + `name`, with exactly one slash between.
std::string path_join(std::string_view directory, std::string_view name);

/// Directory part of an absolute path; "/" for "/" and "/x".
std::string path_parent(std::string_view path);

/// Last component; "" for "/".
std::string path_name(std::string_view path);

/// Removes ".", "" and resolves ".." textually. Keeps a leading slash.
std::string path_normalise(std::string_view path);

/// Number of components.
size_t path_depth(std::string_view path);

/// ASCII lower case.
std::string lower(std::string_view text);

/// `text` as a JSON string literal, quotes included. Bytes that are not UTF-8 become U+FFFD.
std::string json_quote(std::string_view text);

/// `text` as a decimal number, "12", "-3" or "1.5"; nullopt for anything else. (std::from_chars for
/// floating point is missing from the C++ library of most Macs.)
std::optional<double> parse_decimal(std::string_view text);

/// `pattern` with `*` (any run of bytes but '/') and `?` (one byte but '/') against all of `text`.
bool glob_match(std::string_view pattern, std::string_view text);

}  // namespace sbx
