// sbx vm pull
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/prepare.h"
#include "run/console.h"
#include "run/run.h"
#include "vm/run/run_container.h"
#include "vm/run/vm_facts.h"

namespace sbx::cli {

int vm(const Arguments& arguments) {
    if (arguments.words.size() != 1 || arguments.words.front() != "pull") {
        say(Error{"usage", "sbx vm takes one word: pull", "sbx vm pull fetches the image that the policy names"});
        return kUsage;
    }
    auto prepared = prepare(arguments);
    if (!prepared.ok()) {
        say(prepared.error());
        return ExitStatus::kFailed;
    }
    if (!prepared->loaded.errors.empty()) {
        report_errors(prepared->loaded, "nothing was fetched");
        return ExitStatus::kFailed;
    }
    gather_vm_facts(prepared->facts.vm);
    return pull_image(prepared->loaded.policy.vm.image, prepared->facts);
}

}  // namespace sbx::cli
