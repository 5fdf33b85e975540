#include "cli/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include "run/console.h"
#include "util/fd.h"

namespace sbx::cli {

int print(std::string_view text) {
    if (auto written = write_all(STDOUT_FILENO, text); !written) {
        say(written.error());
        return kNo;
    }
    return 0;
}

void report_errors(const LoadedPolicy& loaded, std::string_view consequence) {
    (void)write_all(STDERR_FILENO, format_diagnostics(loaded.errors));
    for (const auto* lines : {&loaded.warnings, &loaded.notes}) {
        for (const std::string& line : *lines) {
            say(line);
        }
    }
    size_t count = loaded.errors.size();
    say(fmt::format("{} in the policy; {}", count == 1 ? "1 error" : fmt::format("{} errors", count), consequence));
}

}  // namespace sbx::cli
