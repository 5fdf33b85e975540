#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "run/console.h"
#include "util/fd.h"
#include "util/text.h"
#include "vm/render/guest.h"
#include "vm/render/report.h"
#include "vm/run/folder.h"
#include "vm/run/launch.h"
#include "vm/run/run_container.h"
#include "vm/run/tool.h"

namespace sbx {
namespace {

constexpr const char* kFolderId = "5e1f7e57-0000-4000-8000-000000000001";
constexpr const char* kSample = "sample\n";
constexpr size_t kMaxReport = size_t{1} << 20;
constexpr int64_t kMemory = int64_t{512} * 1024 * 1024;
constexpr int64_t kTimeLimitMs = 300'000;
constexpr int kListMs = 30'000;

/// A folder with a file to read, and a link that would lead out of it.
Result<std::string> make_sample_folder() {
    const char* base = std::getenv("TMPDIR");
    std::string pattern = path_join(base != nullptr && base[0] == '/' ? base : "/tmp", "sbx-selftest-XXXXXX");
    if (mkdtemp(pattern.data()) == nullptr) {
        return Error{"io", "no folder for the samples can be made", ""};
    }
    char* canonical = realpath(pattern.c_str(), nullptr);
    std::string folder = canonical == nullptr ? pattern : canonical;
    std::free(canonical);
    Fd sample(open(path_join(folder, "sample.txt").c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    bool linked = symlink("/etc/passwd", path_join(folder, "passwd").c_str()) == 0;
    if (!sample.valid() || !linked || !write_all(sample.get(), kSample) || chmod(folder.c_str(), 0755) != 0) {
        vm::remove_private_folder(folder);
        return Error{"io", "the samples cannot be written", ""};
    }
    return folder;
}

std::string file_hash(const char* path) {
    Fd file(open(path, O_RDONLY | O_CLOEXEC));
    auto content = read_all(file.get(), kMaxReport);
    return content ? vm::probe_hash(*content) : "";
}

class Selftest {
  public:
    Selftest(const VmPolicy& policy, const HostFacts& facts) : policy_(policy), facts_(facts) {}

    Result<std::vector<vm::Check>> run(VmProfile profile) {
        vm::SelftestCase test;
        test.profile = profile;
        test.host_addresses = facts_.vm.host_addresses;
        test.bomb_bytes = 2 * kMemory;
        if (profile == VmProfile::Web) {
            test.hosts_only = !policy_.allow_hosts.empty();
            test.public_host =
                test.hosts_only ? split(policy_.allow_hosts.front().text, ':').front() : test.public_host;
            return run_case(test, "");
        }
        SBX_ASSIGN(std::string folder, make_sample_folder());
        test.folder_id = kFolderId;
        test.sample_hash = vm::probe_hash(kSample);
        test.passwd_hash = file_hash("/etc/passwd");
        auto checks = run_case(test, folder);
        vm::remove_private_folder(folder);
        return checks;
    }

  private:
    Plan plan(const vm::SelftestCase& test, const std::string& folder, HostFacts& facts) const {
        Plan plan;
        plan.backend = Backend::Container;
        plan.argv = vm::selftest_probes(test);
        plan.vm = policy_;
        plan.vm.publish = {};
        plan.vm.folders.clear();
        plan.vm.profile.value = test.profile;
        plan.limits.timeout_ms = kTimeLimitMs;
        plan.vm.memory.value = kMemory;
        plan.network.mode = test.profile == VmProfile::Web ? NetworkMode::On : NetworkMode::Off;
        if (test.profile == VmProfile::Files) {
            VmFolder shared;
            shared.id.value = kFolderId;
            shared.path.text = folder;
            plan.vm.folders.push_back(shared);
            plan.vm.allow_hosts.clear();
            plan.vm.dns.clear();
            facts.paths[folder].resolved = folder;
            facts.paths[folder].kind = FileKind::Directory;
        }
        return plan;
    }

    Result<std::vector<vm::Check>> run_case(const vm::SelftestCase& test, const std::string& folder) const {
        HostFacts facts = facts_;
        SBX_ASSIGN(ContainerLaunch launch, render_container(plan(test, folder, facts), facts));
        SBX_CHECK(vm::check_tool(facts));
        SBX_CHECK(vm::check_image_present(launch.image, facts));
        launch.options.insert(launch.options.end(), {"--env", std::string(vm::kSelftestVariable) + "=1"});
        char name[] = "/tmp/sbx-report-XXXXXX";
        Fd report(mkstemp(name));
        if (!report.valid()) {
            return Error{"io", "no file for the report can be made", ""};
        }
        unlink(name);
        vm::LaunchOptions options;
        options.output = report.get();
        Outcome outcome = vm::run_launch(launch, facts, options);
        if (outcome.kind == Outcome::Kind::Failed) {
            return outcome.error;
        }
        lseek(report.get(), 0, SEEK_SET);
        SBX_ASSIGN(std::string text, read_all(report.get(), kMaxReport));
        auto checks = vm::judge_report(test, text);
        checks.push_back(left_over(launch.name));
        return checks;
    }

    /// `--rm` is the tool's promise, the deletion by name is ours: look (T32).
    vm::Check left_over(const std::string& name) const {
        auto answer = vm::ask_tool({facts_.vm.container, "list", "--all", "--quiet"},
                                   vm::tool_environment(facts_, {}), kListMs);
        bool listed = !answer || answer->status != 0 || answer->output.find(name) != std::string::npos;
        return {listed ? vm::Check::State::Fail : vm::Check::State::Ok,
                listed ? "the VM " + name + " is left over; remove it: container delete --force " + name
                       : "the VM is gone"};
    }

    const VmPolicy& policy_;
    const HostFacts& facts_;
};

}  // namespace

int selftest_container(const std::vector<VmProfile>& profiles, const VmPolicy& policy,
                       const HostFacts& facts) {
    std::vector<vm::Check> all;
    for (VmProfile profile : profiles) {
        std::string text = profile == VmProfile::Web ? "web\n" : "files\n";
        auto checks = Selftest(policy, facts).run(profile);
        if (!checks) {
            say(checks.error());
            return ExitStatus::kFailed;
        }
        for (const auto& check : *checks) {
            text += vm::check_line(check) + "\n";
            all.push_back(check);
        }
        (void)write_all(STDOUT_FILENO, text);
    }
    std::string summary = vm::summary_line(all);
    (void)write_all(STDOUT_FILENO, summary + "\n");
    return summary.rfind("all ", 0) == 0 ? 0 : 1;
}

}  // namespace sbx
