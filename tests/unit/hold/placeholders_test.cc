// Entries that hold a place inside a git directory: shared, and gone afterwards.
#include "hold/placeholders.h"

#include <csignal>

#include "hold/fixture.h"
#include "hold/live.h"

namespace sbx::hold {
namespace {

class PlaceholdersTest : public HoldTest {
  protected:
    PlaceholdersTest() {
        fs::create_directory(at(".git"));
        wanted_ = {{at(".git/commondir"), false, ".\n"}, {at(".git/hooks"), true, ""}};
    }
    Placeholders acquire() {
        auto made = Placeholders::acquire(live_, at(".git"), wanted_);
        EXPECT_TRUE(made.ok());
        return std::move(*made);
    }
    std::vector<Placeholder> wanted_;
};

TEST_F(PlaceholdersTest, MadeAndRemoved) {
    Placeholders made = acquire();
    EXPECT_EQ(read(".git/commondir"), ".\n");
    EXPECT_TRUE(fs::is_directory(at(".git/hooks")));
    made.release();
    EXPECT_TRUE(fs::is_empty(at(".git")));
    EXPECT_TRUE(fs::is_empty(runtime_));
}

TEST_F(PlaceholdersTest, StayWhileAnotherRunLives) {
    Placeholders first = acquire();
    Placeholders second = acquire();
    first.release();
    EXPECT_TRUE(there(".git/commondir"));
    second.release();
    EXPECT_TRUE(fs::is_empty(at(".git")));
}

TEST_F(PlaceholdersTest, WhatWasThereBeforeIsNotRemoved) {
    write(".git/commondir", ".\n");
    Placeholders made = acquire();
    made.release();
    EXPECT_EQ(read(".git/commondir"), ".\n");
    EXPECT_FALSE(there(".git/hooks"));
}

TEST_F(PlaceholdersTest, WhatWasChangedIsNotRemoved) {
    Placeholders made = acquire();
    write(".git/commondir", "host's\n");
    write(".git/hooks/pre-commit", "host's");
    made.release();
    EXPECT_EQ(read(".git/commondir"), "host's\n");
    EXPECT_EQ(read(".git/hooks/pre-commit"), "host's");
}

TEST_F(PlaceholdersTest, TheNextRunClearsUpAfterAKill) {
    perform([&] {
        acquire();
        _exit(0);  // as killed: nothing is released
    });
    EXPECT_TRUE(there(".git/commondir"));
    Placeholders next = acquire();
    next.release();
    EXPECT_TRUE(fs::is_empty(at(".git")));
    EXPECT_TRUE(fs::is_empty(runtime_));
}

TEST_F(PlaceholdersTest, ManyAtOnce) {
    for (int i = 0; i < 60; ++i) {
        if (fork() == 0) {
            Placeholders made = acquire();
            bool good = there(".git/commondir") && there(".git/hooks");
            made.release();
            _exit(good ? 0 : 1);
        }
    }
    int bad = 0;
    int status = 0;
    while (waitpid(-1, &status, 0) > 0) {
        bad += status == 0 ? 0 : 1;
    }
    EXPECT_EQ(bad, 0);
    EXPECT_TRUE(fs::is_empty(at(".git")));
    EXPECT_TRUE(fs::is_empty(runtime_));
}

}  // namespace
}  // namespace sbx::hold
