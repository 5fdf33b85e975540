// sbx doctor and sbx selftest
#include "run/doctor.h"

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/prepare.h"
#include "run/console.h"
#include "run/run.h"

namespace sbx::cli {
namespace {

int report(const Findings& findings, const std::string& text) {
    int printed = print(text);
    return printed != 0 ? printed : failures(findings) == 0 ? 0 : kNo;
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
    Findings findings = test_policy(prepared->loaded.policy, prepared->facts);
    return report(findings, arguments.has("--json") ? findings_json(findings) : selftest_text(findings));
}

}  // namespace sbx::cli
