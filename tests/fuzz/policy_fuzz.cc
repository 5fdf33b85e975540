// The policy loader on arbitrary bytes: it must neither crash nor report a place that does not exist.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "policy/apply.h"
#include "policy/load.h"
#include "policy/modes.h"
#include "policy/notes.h"
#include "util/text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    std::string_view text(reinterpret_cast<const char*>(data), size);
    if (size > 65536 || !sbx::is_utf8(text)) {
        return 0;  // read_policy_file() lets nothing else through
    }
    sbx::Layer layer;
    layer.source = {sbx::Origin::Kind::File, "fuzz.toml", 0, 0};
    layer.base = "/project";
    for (const char* confined : {"", "/project"}) {
        layer.confined_to = confined;
        sbx::LoadedPolicy loaded;
        sbx::TomlValue root;
        if (sbx::parse_toml(text, layer.source, root, loaded.errors)) {
            sbx::apply_tree(root, layer, loaded.policy, loaded.errors);
        }
        sbx::attach_source(loaded.errors, 0, text, layer.source);
        for (const sbx::Diagnostic& error : loaded.errors) {
            if (error.origin.line == 0 || error.message.empty()) {
                std::abort();
            }
        }
        if (!sbx::is_utf8(sbx::format_diagnostics(loaded.errors))) {
            std::abort();
        }
        sbx::HostFacts facts;
        facts.home = "/home/u";
        facts.cwd = "/project";
        sbx::settle(facts, {}, loaded);
        (void)sbx::security_notes(loaded, {});
        // What an untrusted project policy leaves is never wider than the default.
        bool confined_policy = *confined != '\0';
        const sbx::Policy& policy = loaded.policy;
        bool wider = policy.network.value != sbx::NetworkMode::Off || !policy.write_paths.empty() ||
                     policy.backend.value != sbx::BackendChoice::Auto || !policy.environment.pass.empty() ||
                     !policy.environment.set.empty() || policy.home.value != sbx::HomeMode::Private ||
                     !policy.zones.exempt.empty() || policy.guards.git.value != sbx::GuardWhen::Always;
        if (confined_policy && wider) {
            std::abort();
        }
    }
    return 0;
}
