// sbx check: validates policies and tells where they are weaker than the default.
#include <fmt/format.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/secrets.h"
#include "host/gather.h"
#include "host/grants_scan.h"
#include "policy/notes.h"
#include "run/console.h"
#include "util/fd.h"
#include "util/text.h"
#include "vm/render/container.h"
#include "vm/render/settings.h"
#include "vm/run/folder.h"

namespace sbx::cli {
namespace {

std::string json_list(const std::vector<std::string>& items) {
    std::string out;
    for (const std::string& item : items) {
        out += (out.empty() ? "" : ", ") + item;
    }
    return "[" + out + "]";
}

std::string profile_name(VmProfile profile) {
    return profile == VmProfile::Web ? "web" : profile == VmProfile::Files ? "files" : "";
}

struct Checked {
    LoadedPolicy loaded;
    std::vector<SecurityNote> notes;
    std::vector<std::string> remarks;
    std::vector<std::string> folder_ids;
};

/// TUFF's health answer and error form (T67, T89).
std::string to_json(const Checked& checked) {
    const LoadedPolicy& loaded = checked.loaded;
    const VmPolicy& vm = loaded.policy.vm;
    std::vector<std::string> errors;
    std::vector<std::string> shown;
    std::vector<std::string> folders;
    for (const Diagnostic& error : loaded.errors) {
        errors.push_back("{\"error\": " + diagnostic_json(error) + "}");
    }
    for (const SecurityNote& note : checked.notes) {
        shown.push_back(fmt::format("{{\"code\": {}, \"message\": {}}}", json_quote(note.code), json_quote(note.message)));
    }
    for (const std::string& id : checked.folder_ids) {
        folders.push_back(json_quote(id));
    }
    std::vector<std::string> remarks;
    for (const std::string& remark : checked.remarks) {
        remarks.push_back(json_quote(remark));
    }
    size_t blocked = vm.profile.value == VmProfile::Files ? 0 : vm.blocked_addresses.size();
    return fmt::format(
        "{{\"status\": {}, \"profile\": {}, \"api\": 1, \"blocked_addresses\": {}, \"folders\": {}, \"errors\": {}, "
        "\"notes\": {}, \"remarks\": {}}}\n",
        json_quote(errors.empty() ? "ok" : "error"), json_quote(profile_name(vm.profile.value)), blocked,
        json_list(folders), json_list(errors), json_list(shown), json_list(remarks));
}

/// The guest of the container backend, as far as `policy` has one with a profile.
void look_at_guest(const HostFacts& facts, const Policy& policy, Surroundings& around) {
    if (policy.backend.value != BackendChoice::Container) {
        return;
    }
    Plan plan;
    plan.vm = policy.vm;
    around.vm_caveats = container_caveats(plan);
    if (policy.vm.profile.value == VmProfile::Files) {
        around.vm_folders = scan_vm_folders(policy, facts);
    }
}

/// What the files profile would share (T72, T73, T92): a run refuses the same.
void check_folders(const HostFacts& facts, Checked& checked) {
    for (const VmFolder& folder : checked.loaded.policy.vm.folders) {
        auto path = vm::find_shared_folder(expand_path(folder.path, facts));
        if (!path) {
            const Error& error = path.error();
            checked.loaded.errors.push_back({error.code, folder.path.origin, error.message, error.hint, ""});
        }
        checked.folder_ids.push_back(!folder.id.value.empty() ? folder.id.value : path ? vm::folder_id(*path) : "");
    }
}

Checked check_one(HostFacts facts, const PolicyRequest& request) {
    Checked checked;
    checked.loaded = load_redacted(facts, request);
    check_folders(facts, checked);
    if (checked.loaded.errors.empty()) {
        Surroundings around;
        around.files = look_at_policy_files(facts, checked.loaded);
        look_at_guest(facts, checked.loaded.policy, around);
        checked.notes = security_notes(checked.loaded, around);
        checked.remarks = remarks(checked.loaded, facts.platform);
        Redactor redact = redactor_for(facts, checked.loaded.policy);
        for (SecurityNote& note : checked.notes) {
            note.message = redact(note.message);
        }
    }
    return checked;
}

}  // namespace

int check(const Arguments& arguments) {
    auto facts = gather_caller();
    if (!facts) {
        say(facts.error());
        return kNo;
    }
    std::vector<PolicyRequest> requests;
    for (const std::string& file : arguments.words) {
        PolicyRequest request;
        request.only_named = true;
        request.named.push_back({false, file});
        requests.push_back(std::move(request));
    }
    if (requests.empty()) {
        requests.push_back(policy_request(arguments));
    }
    bool failed = false;
    bool noted = false;
    std::string out;
    for (const PolicyRequest& request : requests) {
        Checked checked = check_one(*facts, request);
        failed = failed || !checked.loaded.errors.empty();
        noted = noted || !checked.notes.empty();
        if (arguments.has("--json")) {
            out += to_json(checked);
            continue;
        }
        (void)write_all(STDERR_FILENO, format_diagnostics(checked.loaded.errors));
        for (const std::string& remark : checked.remarks) {
            say(remark);
        }
        for (const SecurityNote& note : checked.notes) {
            out += "note: " + printable_line(note.message) + "\n";
        }
    }
    if (!arguments.has("--json") && !failed && !noted) {
        out = "No security notes\n";
    }
    if (print(out) != 0) {
        return kNo;
    }
    return failed || (noted && arguments.has("--strict")) ? kNo : 0;
}

}  // namespace sbx::cli
