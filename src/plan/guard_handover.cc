#include "plan/guard_handover.h"

#include "hold/names.h"
#include "util/text.h"

namespace sbx {
namespace {

class HandoverGuard {
  public:
    HandoverGuard(const Policy& policy, const HostFacts& facts, const Plan& plan, Protector& protector)
        : policy_(policy),
          facts_(facts),
          protector_(protector),
          files_(policy.guards.handover.value == Handover::Protect),
          instructions_(guards_instructions(policy, plan)) {}

    void run() {
        for (const HandoverMatch& match : facts_.scan.handover) {
            if (match.inside) {
                guard_target(match.path);
            } else {
                guard(match.path, match.kind);
            }
        }
        // .envrc is named by a denied pattern as well. One that git tracks is not hidden, so it needs this.
        for (const MaskMatch& match : facts_.scan.masks) {
            if (match.tracked) {
                guard(match.path, match.kind);
            }
        }
    }

  private:
    void guard(const std::string& path, FileKind kind) {
        switch (hold::role_of(path_name(path_parent(path)), path_name(path))) {
            case hold::Role::Handover:
                if (files_) {
                    protector_.guard(path, kind, policy_.guards.handover.origin, "guards.handover");
                }
                break;
            case hold::Role::Instruction:
                if (instructions_) {
                    protector_.guard(path, kind, policy_.guards.instructions.origin, "guards.instructions");
                }
                break;
            default: break;
        }
    }

    /// The link itself is read-only with the folder that it is in.
    void guard_target(const std::string& link) {
        auto target = facts_.paths.find(link);
        if (target != facts_.paths.end() && (files_ || instructions_)) {
            protector_.guard(target->second.resolved, target->second.kind, policy_.guards.handover.origin,
                             "guards.handover");
        }
    }

    const Policy& policy_;
    const HostFacts& facts_;
    Protector& protector_;
    bool files_;
    bool instructions_;
};

}  // namespace

bool guards_instructions(const Policy& policy, const Plan& plan) {
    GuardWhen when = policy.guards.instructions.value;
    return when == GuardWhen::Always || (when == GuardWhen::Tainted && plan.tainted);
}

void guard_handover(const Policy& policy, const HostFacts& facts, const Plan& plan, Protector& protector) {
    HandoverGuard(policy, facts, plan, protector).run();
}

}  // namespace sbx
