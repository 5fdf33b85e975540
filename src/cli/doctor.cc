// sbx doctor and sbx selftest
#include "run/doctor.h"

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/prepare.h"
#include "run/console.h"
#include "run/run.h"
#include "vm/run/run_container.h"
#include "vm/run/vm_facts.h"

namespace sbx::cli {
namespace {

int report(const Findings& findings, const std::string& text) {
    int printed = print(text);
    return printed != 0 ? printed : failures(findings) == 0 ? 0 : kNo;
}

/// web, files or all: the guest of the container backend.
int selftest_guests(const std::vector<std::string>& words, Prepared& prepared) {
    std::vector<VmProfile> profiles;
    for (const std::string& word : words) {
        if (word == "web" || word == "all") {
            profiles.push_back(VmProfile::Web);
        }
        if (word == "files" || word == "all") {
            profiles.push_back(VmProfile::Files);
        }
        if (word != "web" && word != "files" && word != "all") {
            say(Error{"usage", "selftest takes web, files or all", "without a word it tests your policy here"});
            return kUsage;
        }
    }
    gather_vm_facts(prepared.facts.vm);
    return selftest_container(profiles, prepared.loaded.policy.vm, prepared.facts);
}

}  // namespace

int doctor(const Arguments& arguments) {
    Findings findings = examine_machine();
    return report(findings, arguments.has("--json") ? findings_json(findings) : findings_text(findings));
}

int selftest(const Arguments& arguments) {
    auto prepared = prepare(arguments);
    if (!prepared) {
        say(prepared.error());
        return ExitStatus::kFailed;
    }
    if (!prepared->loaded.errors.empty()) {
        report_errors(prepared->loaded, "nothing was tested");
        return ExitStatus::kFailed;
    }
    if (!arguments.words.empty()) {
        return selftest_guests(arguments.words, *prepared);
    }
    Findings findings = test_policy(prepared->loaded.policy, prepared->facts);
    return report(findings, arguments.has("--json") ? findings_json(findings) : selftest_text(findings));
}

}  // namespace sbx::cli
