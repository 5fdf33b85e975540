#include "run/status_writer.h"

#include "util/fd.h"
#include "util/text.h"

namespace sbx {

void StatusWriter::started(pid_t pid) const {
    if (fd_ >= 0) {
        (void)write_all(fd_, "{\"child-pid\":" + std::to_string(pid) + "}\n");
    }
}

void StatusWriter::ended(const Outcome& outcome) const {
    if (fd_ < 0) {
        return;
    }
    std::string line;
    if (outcome.kind == Outcome::Kind::Exited) {
        line = "{\"exit-code\":" + std::to_string(outcome.value) + "}\n";
    } else if (outcome.kind == Outcome::Kind::Signalled) {
        line = "{\"signal\":" + std::to_string(outcome.value) + "}\n";
    } else {
        line = "{\"error\":{\"code\":" + json_quote(outcome.error.code) +
               ",\"message\":" + json_quote(outcome.error.message) + "}}\n";
    }
    (void)write_all(fd_, line);
}

}  // namespace sbx
