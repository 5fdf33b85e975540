// sbx held, sbx accept, sbx discard
#include "cli/commands.h"
#include "cli/output.h"
#include "hold/commands.h"
#include "host/gather.h"
#include "run/console.h"
#include "run/run.h"

namespace sbx::cli {
namespace {

Result<hold::Selection> selection(const Arguments& arguments) {
    SBX_ASSIGN(HostFacts facts, gather_caller());
    hold::Selection selected;
    selected.state_directory = facts.state_dir;
    selected.live_directory = facts.live_dir;
    selected.cwd = facts.cwd;
    selected.paths = arguments.words;
    selected.everywhere = arguments.has("--all");
    if (selected.everywhere && !selected.paths.empty()) {
        return Error{"usage", "--all takes no paths", "name the paths, or give --all alone"};
    }
    return selected;
}

int refused(const Error& error) {
    say(error);
    return error.code == "usage" ? kUsage : kNo;
}

void tell(const std::string& line) { say(line); }

}  // namespace

int held(const Arguments& arguments) {
    auto selected = selection(arguments);
    if (!selected.ok()) {
        return refused(selected.error());
    }
    auto text = arguments.has("--json") ? hold::list_held_json(*selected)
                                        : hold::list_held(*selected, arguments.has("--diff"));
    return text.ok() ? print(*text) : refused(text.error());
}

int accept(const Arguments& arguments) {
    auto selected = selection(arguments);
    if (!selected.ok()) {
        return refused(selected.error());
    }
    auto done = hold::accept_held(*selected, arguments.has("--replace"), tell);
    if (!done.ok()) {
        return refused(done.error());
    }
    return *done ? 0 : kNo;
}

int discard(const Arguments& arguments) {
    auto selected = selection(arguments);
    if (!selected.ok()) {
        return refused(selected.error());
    }
    auto done = hold::discard_held(*selected, tell);
    return done.ok() ? 0 : refused(done.error());
}

}  // namespace sbx::cli
