// Runs that are live at once, or lost: shared by the tests of overlaps.
#pragma once

#include <sys/prctl.h>

#include "unit/hold/fixture.h"

namespace sbx::hold {

class OverlapTest : public HoldTest {
  protected:
    OverlapTest() {
        prctl(PR_SET_CHILD_SUBREAPER, 1);  // guardians become children of the test, so it can wait for them
    }

    static void wait_for_all() {
        while (waitpid(-1, nullptr, 0) > 0) {
        }
    }

    /// A run that is killed together with its guardian.
    void lose_a_run(const Plan& plan, const std::function<void()>& command) const {
        pid_t owner = fork();
        if (owner == 0) {
            auto session = Session::begin(plan, folders(), cat_file_);
            command();
            (void)!system(("pkill -9 -P " + std::to_string(getpid())).c_str());
            kill(getpid(), SIGKILL);
        }
        wait_for_all();
    }

    bool is_held(const std::string& path, const std::string& content) const {
        auto all = held();
        return std::any_of(all.begin(), all.end(), [&](const Held& one) {
            auto found = one.after.find(path);
            return found != one.after.end() && found->second.content == content;
        });
    }
};

}  // namespace sbx::hold
