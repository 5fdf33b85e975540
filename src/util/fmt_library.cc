// The body of fmt, compiled once: header-only, every file that formats text would compile it again, for
// seconds each. All that the others need of it is vformat.
#define FMT_HEADER_ONLY
#include <fmt/format.h>

#include <string>

namespace sbx {
namespace {

// An inline function is written down only where it is used; taking its address is a use.
[[gnu::used]] std::string (*const body)(fmt::string_view, fmt::format_args) = fmt::vformat;

}  // namespace
}  // namespace sbx
