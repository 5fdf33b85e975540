// Runs that overlap, that are killed, that meet a full disk: nothing is lost and nothing gets through.
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>

#include "hold/run.h"
#include "unit/hold/overlap.h"

namespace sbx::hold {
namespace {

TEST_F(OverlapTest, LaterRunDoesNotTakeForTheUsersWhatTheEarlierPlanted) {
    auto before = tree();
    auto first = begin();
    perform([&] { write(".envrc", "evil"); });
    auto second = begin();
    first->finish();
    EXPECT_FALSE(there(".envrc"));
    perform([&] { write(".envrc", "again"); });
    second->finish();
    EXPECT_EQ(tree(), before);
    EXPECT_TRUE(is_held(".envrc", "evil"));
    EXPECT_TRUE(is_held(".envrc", "again"));
    EXPECT_TRUE(fs::is_empty(runtime_));
}

TEST_F(OverlapTest, TheLastToEndRestoresToo) {
    write(".mcp.json", "{}");
    auto before = tree();
    auto first = begin();
    auto second = begin();
    auto third = begin();
    perform([&] { write(".mcp.json", "1"); });
    second->finish();
    EXPECT_EQ(read(".mcp.json"), "{}");
    perform([&] { write(".mcp.json", "2"); });
    first->finish();
    EXPECT_EQ(read(".mcp.json"), "{}");
    perform([&] { fs::remove(at(".mcp.json")); });
    third->finish();
    EXPECT_EQ(tree(), before);
    EXPECT_TRUE(is_held(".mcp.json", "1"));
    EXPECT_TRUE(is_held(".mcp.json", "2"));
}

TEST_F(OverlapTest, ManyAtOnce) {
    write(".npmrc", "mine");
    auto before = tree();
    constexpr int kRuns = 40;
    for (int i = 0; i < kRuns; ++i) {
        if (fork() == 0) {
            auto session = Session::begin(plan_, folders(), cat_file_);
            bool good = session.ok();
            if (good) {
                write(".npmrc", "evil" + std::to_string(i));
                write(".vscode/" + std::to_string(i), "evil");
                good = (*session)->finish().failed.empty();
                session->reset();
            }
            _exit(good ? 0 : 1);
        }
    }
    int bad = 0;
    int status = 0;
    while (waitpid(-1, &status, 0) > 0) {
        bad += WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
    }
    EXPECT_EQ(bad, 0);
    EXPECT_EQ(tree(), before);
    EXPECT_TRUE(fs::is_empty(runtime_));
    // A run that ends takes the others' files away too, now and then between their creation and the
    // writing of their text.
    int kept = 0;
    for (int i = 0; i < kRuns; ++i) {
        kept += is_held(".vscode/" + std::to_string(i), "evil") ? 1 : 0;
    }
    EXPECT_GE(kept, kRuns * 3 / 4);
}

TEST_F(OverlapTest, GuardianRestoresWhenSbxIsKilled) {
    write(".envrc", "mine");
    auto before = tree();
    int ready[2];
    ASSERT_EQ(pipe2(ready, O_CLOEXEC), 0);
    pid_t inner = fork();
    if (inner == 0) {
        pause();
        _exit(0);
    }
    pid_t owner = fork();
    if (owner == 0) {
        auto session = Session::begin(plan_, folders(), cat_file_);
        bool good = session.ok() && (*session)->watch(inner).ok();
        write(".envrc", "evil");
        (void)!::write(ready[1], good ? "y" : "n", 1);
        pause();
    }
    char answer = 0;
    ASSERT_EQ(::read(ready[0], &answer, 1), 1);
    EXPECT_EQ(answer, 'y');
    kill(owner, SIGKILL);
    waitpid(owner, nullptr, 0);
    EXPECT_EQ(read(".envrc"), "evil") << "restored while the command could still write";
    kill(inner, SIGKILL);
    wait_for_all();
    EXPECT_EQ(tree(), before);
    EXPECT_TRUE(is_held(".envrc", "evil"));
    EXPECT_TRUE(fs::is_empty(runtime_));
    close(ready[0]);
    close(ready[1]);
}

TEST_F(OverlapTest, KilledAtAnyPointNothingIsLostAndNothingGetsThrough) {
    write(".envrc", "mine");
    write(".vscode/settings.json", "{}");
    auto before = tree();
    for (int step = 0; step < 40; ++step) {
        std::string evil = "evil" + std::to_string(step);
        pid_t owner = fork();
        if (owner == 0) {
            auto session = Session::begin(plan_, folders(), cat_file_);
            write(".envrc", evil);
            write(".vscode/new", evil);
            if (session.ok()) {
                (*session)->finish();
            }
            _exit(0);
        }
        usleep(static_cast<useconds_t>(step * 400));  // the point at which it dies
        kill(owner, SIGKILL);
        wait_for_all();
        run([] {});  // the next run clears up what a kill before the guardian left
        bool begun_late =
            read(".envrc") == evil;  // written when the next run had no baseline to hold it against
        if (begun_late) {
            ADD_FAILURE() << "step " << step;
            write(".envrc", "mine");
        }
        EXPECT_EQ(tree(), before) << "step " << step;
        EXPECT_TRUE(fs::is_empty(runtime_));
        if (::testing::Test::HasFailure()) {
            break;
        }
    }
}

TEST_F(OverlapTest, FullDiskKeepsTheCommandsVersionUnderAnotherName) {
    write(".envrc", "mine");
    auto session = begin();
    std::string big(200000, 'x');
    perform([&] { write(".envrc", big); });
    // A file that may not grow stands for a disk that is full.
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, SIG_IGN);
    rlimit small{65536, limit.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    Report report = session->finish();
    setrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, SIG_DFL);
    EXPECT_EQ(read(".envrc"), "mine");
    ASSERT_EQ(report.aside.size(), 1U);
    std::string name = report.aside[0].substr(report.aside[0].find("-> ") + 3);
    EXPECT_EQ(read(name), big);
    EXPECT_TRUE(held().empty());
}

TEST_F(OverlapTest, StateDirectoryThatCannotBeMade) {
    write(".envrc", "mine");
    std::ofstream(state_) << "a file is in the way";
    Report report = run([&] { write(".envrc", "evil"); });
    EXPECT_EQ(read(".envrc"), "mine");
    ASSERT_EQ(report.aside.size(), 1U);
    EXPECT_EQ(read(report.aside[0].substr(report.aside[0].find("-> ") + 3)), "evil");
}

TEST_F(OverlapTest, WhatIsTooLargeToKeepIsRenamed) {
    write(".vscode/small", "mine");
    Report report = run([&] {
        write(".vscode/huge", "x");
        EXPECT_EQ(truncate(at(".vscode/huge").c_str(), 40 << 20), 0);
        write(".vscode/small", "x");
        EXPECT_EQ(truncate(at(".vscode/small").c_str(), 40 << 20), 0);
        write(".vscode/other", "evil");
    });
    EXPECT_EQ(read(".vscode/small"), "mine");
    EXPECT_FALSE(there(".vscode/huge"));
    EXPECT_FALSE(there(".vscode/other"));
    EXPECT_EQ(held_content(".vscode/other"), "evil");
    ASSERT_EQ(report.aside.size(), 2U);
    for (const std::string& line : report.aside) {
        EXPECT_EQ(fs::file_size(at(line.substr(line.find("-> ") + 3))), uintmax_t{40} << 20);
    }
}

TEST_F(OverlapTest, TooLargeBeforeTheRunAndUntouchedIsLeftAlone) {
    write(".idea/cache", "x");
    ASSERT_EQ(truncate(at(".idea/cache").c_str(), 40 << 20), 0);
    Report report = run([&] { write("main.py", "x"); });
    EXPECT_TRUE(report.held.empty() && report.aside.empty() && report.failed.empty());
    EXPECT_EQ(fs::file_size(at(".idea/cache")), uintmax_t{40} << 20);
}

TEST_F(OverlapTest, MoreFoldersInsideEachOtherThanDescriptors) {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    rlimit few{200, limit.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
    std::string path;
    Report report = run([&] {
        ASSERT_EQ(chdir(project_.c_str()), 0);
        for (int i = 0; i < 1200; ++i) {
            mkdir("a", 0755);
            mkdir("b", 0755);
            ASSERT_EQ(chdir("a"), 0);
        }
        std::ofstream(".envrc") << "evil";
        std::ofstream("../b/.envrc") << "evil";
    });
    setrlimit(RLIMIT_NOFILE, &limit);
    EXPECT_EQ(report.held.size(), 2U);
    EXPECT_EQ(system(("test -z \"$(find '" + project_ + "' -name .envrc)\"").c_str()), 0);
}

TEST_F(OverlapTest, TheNextRunRestoresAfterAPowerFailure) {
    write(".envrc", "mine");
    {
        // The locks are gone and nobody has restored: what is left when everything dies at once.
        lose_a_run(plan_, [&] { write(".envrc", "evil"); });
    }
    EXPECT_EQ(read(".envrc"), "evil");
    Report report = run([] {});
    EXPECT_EQ(read(".envrc"), "mine");
    EXPECT_TRUE(is_held(".envrc", "evil"));
    EXPECT_NE(describe(report).front().find("an earlier run was lost"), std::string::npos);
}

TEST_F(OverlapTest, TheJournalOutlivesTheDirectoryOfLiveRuns) {
    write(".envrc", "mine");
    pid_t owner = fork();
    if (owner == 0) {
        auto session = Session::begin(plan_, folders(), cat_file_);
        bool good = session.ok() && (*session)->watch(getpid()).ok();
        write(".envrc", "evil");
        pause();
        _exit(good ? 0 : 1);
    }
    auto entries = [&] {
        size_t whole = 0;
        std::error_code gone;
        for (const auto& entry : fs::directory_iterator(base_ + "/journal", gone)) {
            whole += entry.path().extension() != ".new" ? 1 : 0;
        }
        return whole;
    };
    while (entries() == 0) {
        usleep(10000);  // the guardian writes it when a run lasts longer
    }
    run([&] { EXPECT_EQ(entries(), 1U); });  // of a live run: not touched
    (void)!system(("pkill -9 -P " + std::to_string(owner)).c_str());
    kill(owner, SIGKILL);
    wait_for_all();
    fs::remove_all(live_);
    write(".envrc", "evil");
    Report report = run([] {});
    EXPECT_EQ(read(".envrc"), "mine");
    EXPECT_EQ(report.held, std::vector<std::string>{".envrc"});
    EXPECT_FALSE(fs::exists(base_ + "/journal"));
}

TEST_F(OverlapTest, NoJournalWhereNothingIsToBeRestored) {
    Journal none = Journal::write(base_ + "/journal", {});
    EXPECT_FALSE(fs::exists(base_ + "/journal"));
    Record record;
    record.place.root = project_;
    Journal one = Journal::write(base_ + "/journal", {&record});
    EXPECT_FALSE(fs::is_empty(base_ + "/journal"));
    one.end(true);
    EXPECT_FALSE(fs::exists(base_ + "/journal"));
    record.place = place_of(project_, {});
    Journal kept = Journal::write(base_ + "/journal", {&record});
    kept.end(false);
    EXPECT_FALSE(fs::is_empty(base_ + "/journal")) << "it is still needed";
    fs::remove_all(base_ + "/journal");
    Journal gone = Journal::write(base_ + "/journal", {&record});
    fs::remove_all(project_);
    gone.end(false);
    EXPECT_FALSE(fs::exists(base_ + "/journal")) << "nothing will ever be restored there";
}

TEST_F(OverlapTest, WhatIsLeftOfAFolderThatIsGoneIsForgotten) {
    fs::create_directory(base_ + "/other");
    Plan plan = plan_;
    plan.handover.roots = {base_ + "/other"};
    {
        auto session = Session::begin(plan, folders(), cat_file_);
        ASSERT_TRUE(session.ok());
        fs::remove_all(base_ + "/other");
        EXPECT_FALSE((*session)->finish().failed.empty());
    }
    run([] {});
    EXPECT_TRUE(fs::is_empty(runtime_));
}

TEST_F(OverlapTest, DescribesWhatHappened) {
    Report report = run([&] { write(".vscode/tasks.json", "x"); });
    auto lines = describe(report);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_NE(lines[0].find(".vscode/tasks.json"), std::string::npos);
    EXPECT_NE(lines[0].find("sbx accept"), std::string::npos);
}

}  // namespace
}  // namespace sbx::hold
