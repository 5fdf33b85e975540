#include "run/console.h"

#include <unistd.h>

#include "util/fd.h"
#include "util/text.h"

namespace sbx {

void say(std::string_view text) {
    std::string out;
    for (const auto& line : split(printable(text), '\n')) {
        if (!line.empty()) {
            out += "sbx: " + line + "\n";
        }
    }
    // One write, so that lines of parallel runs do not mix. Nobody is left to tell when it fails.
    (void)write_all(STDERR_FILENO, out);
}

void say(const Error& error) { say(error.hint.empty() ? error.message : error.message + "\n" + error.hint); }

}  // namespace sbx
