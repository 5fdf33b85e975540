#include "macos/render/doctor_lines.h"

#include "unit/macos/runner.h"

namespace sbx {
namespace {

const Finding* find(const Findings& findings, const std::string& layer) {
    for (const Finding& finding : findings) {
        if (finding.layer == layer) {
            return &finding;
        }
    }
    return nullptr;
}

TEST(MacDoctor, NamesWhatIsMissingAndTheRemedy) {
    HostFacts facts = test::mac_facts();
    EXPECT_EQ(failures(mac_findings(facts, {})), 0U);
    EXPECT_EQ(find(mac_findings(facts, {}), "sandbox-exec")->status, Finding::Status::Note);  // F47
    facts.mac.developer.clear();
    EXPECT_EQ(find(mac_findings(facts, {}), "developer tools")->remedy, "xcode-select --install");
    facts.mac.inside_sandbox = true;
    EXPECT_EQ(find(mac_findings(facts, {}), "nesting")->status, Finding::Status::Fail);
    facts.mac.inside_sandbox = false;
    EXPECT_EQ(find(mac_findings(facts, Error{"x", "refused", ""}), "sandbox")->text, "refused");
    facts.mac.sandbox_exec = false;
    EXPECT_NE(find(mac_findings(facts, {}), "sandbox-exec")->text.find("Xcode Command Line Tools"), std::string::npos);
    facts.mac.version = "10.15";
    EXPECT_EQ(find(mac_findings(facts, {}), "system")->status, Finding::Status::Fail);
}

// Without a sandbox every denial must be missed: a selftest that cannot fail proves nothing.
TEST(MacSelftest, FailsWhereNothingIsDenied) {
    test::World world;
    world.write("canary", "secret");
    world.shell(mac_selftest_script(world.path("canary"), true));
    world.plan.environment.push_back({"TMPDIR", world.path("work"), {}});
    test::Running run(world);
    EXPECT_EQ(run.exit_code(), 0) << run.errors;
    Findings findings = selftest_findings(run.output);
    EXPECT_GE(findings.size(), 17U) << run.output;
    EXPECT_NE(run.output.find("FAIL|home|a file of the real home cannot be read: it worked"), std::string::npos) << run.output;
    EXPECT_NE(run.output.find("FAIL|home|nor moved away: it worked"), std::string::npos);
    EXPECT_NE(run.output.find("FAIL|setuid|"), std::string::npos);
    EXPECT_NE(run.output.find("ok|home|the private home can be written"), std::string::npos);
}

}  // namespace
}  // namespace sbx
