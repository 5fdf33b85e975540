#include <cstring>
#include "host/gather.h"
#include "plan/build.h"
#include "run/console.h"
#include "run/run.h"
#include <cstdio>
using namespace sbx;
int main(int argc, char** argv) {
    if (argc > 1 && !std::strcmp(argv[1], "--version")) { std::puts("sbx " SBX_VERSION); return 0; }
    int i = 2; bool dry = false;
    if (i < argc && !std::strcmp(argv[i], "--dry-run")) { dry = true; ++i; }
    if (i < argc && !std::strcmp(argv[i], "--")) ++i;
    Policy policy;
    auto facts = gather_caller();
    if (!facts.ok()) { say(facts.error()); return 125; }
    if (auto r = gather_for_policy(policy, *facts); !r.ok()) { say(r.error()); return 125; }
    Invocation inv; inv.argv.assign(argv + i, argv + argc);
    auto plan = build_plan(policy, *facts, inv);
    if (!plan.ok()) { say(plan.error()); return 125; }
    if (dry) { auto t = describe_launch(*plan, *facts); if (!t.ok()) { say(t.error()); return 125; } std::puts(t->c_str()); return 0; }
    return run_plan(*plan, *facts, {});
}
