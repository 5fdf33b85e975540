// Files that the user's own commits have are not held; commits of the command are nobody's reference.
#include "hold/commits.h"

#include <algorithm>

#include "unit/hold/fixture.h"

namespace sbx::hold {
namespace {

class CommitsTest : public HoldTest {
  protected:
    CommitsTest() {
        git("init -q -b main . && git config user.name me && git config user.email me@x.example");
        plan_.handover.git_dirs = {at(".git")};
        plan_.handover.top_level = project_;
        plan_.handover.git_dir = plan_.handover.common_dir = at(".git");
        cat_file_ = [this](const std::string& requests) -> Result<std::string> {
            ++calls_;
            std::ofstream(base_ + "/requests") << requests;
            EXPECT_EQ(system(("git -C '" + project_ + "' cat-file --batch < '" + base_ + "/requests' > '" + base_ +
                              "/answer'").c_str()), 0);
            return read_file(base_ + "/answer");
        };
    }

    void git(const std::string& arguments) const {
        EXPECT_EQ(system(("cd '" + project_ + "' && git " + arguments + " >/dev/null 2>&1").c_str()), 0) << arguments;
    }

    /// Two branches that differ in hand-over files of every kind.
    void make_branches() const {
        write(".npmrc", "a=1\n");
        write("sub/.vscode/settings.json", "{}\n");
        write("tool/.envrc", "x\n", 0755);
        git("add -A && git commit -qm one && git checkout -qb other");
        write(".npmrc", "a=2\n");
        write("sub/.vscode/settings.json", "{\"a\": 1}\n");
        write(".mcp.json", "{}\n");
        fs::remove_all(at("tool"));
        fs::create_symlink("sub", at(".claude"));
        git("add -A && git commit -qm two && git checkout -q main");
    }

    mutable int calls_ = 0;
};

TEST_F(CommitsTest, CheckoutOfOwnBranchesLeavesACleanTree) {
    make_branches();
    Report report = run([&] { git("checkout -q other"); });
    EXPECT_TRUE(report.held.empty()) << report.held.front();
    EXPECT_EQ(read(".npmrc"), "a=2\n");
    git("diff --exit-code HEAD");
    git("pack-refs --all && git gc -q");
    report = run([&] { git("checkout -q main"); });
    EXPECT_TRUE(report.held.empty()) << report.held.front();
    git("diff --exit-code HEAD");
    EXPECT_TRUE(there("tool/.envrc"));
}

TEST_F(CommitsTest, RemovalOfWhatNoCommitHasIsHeld) {
    make_branches();
    write("tool/.npmrc", "never committed\n");
    write(".npmrc", "a=1 and a local change\n");
    run([&] {
        fs::remove(at("tool/.npmrc"));
        fs::remove(at(".npmrc"));
    });
    EXPECT_EQ(read("tool/.npmrc"), "never committed\n");
    EXPECT_EQ(read(".npmrc"), "a=1 and a local change\n");
}

TEST_F(CommitsTest, NothingIsAskedWhenNothingWouldBeHeld) {
    make_branches();
    run([&] { write("main.py", "x"); });
    EXPECT_EQ(calls_, 0);
}

TEST_F(CommitsTest, OtherContentIsHeldAllTheSame) {
    make_branches();
    run([&] {
        git("checkout -q other");
        write(".npmrc", "evil\n");
        write(".mcp.json", "{}\n", 0755);
    });
    EXPECT_EQ(read(".npmrc"), "a=1\n");
    EXPECT_FALSE(there(".mcp.json")) << "its mode is not that of the commit";
}

TEST_F(CommitsTest, CommitOfTheRunItselfIsNoReference) {
    make_branches();
    run([&] {
        write(".npmrc", "evil\n");
        git("commit -qam evil");
    });
    EXPECT_EQ(read(".npmrc"), "a=1\n");
}

TEST_F(CommitsTest, CommitOfAnEarlierRunIsNoReference) {
    make_branches();
    run([&] {
        git("checkout -qb planted");
        write(".npmrc", "evil\n");
        git("commit -qam evil && git checkout -q main");
    });
    EXPECT_EQ(read(".npmrc"), "a=1\n");
    run([&] { git("checkout -q planted -- .npmrc"); });
    EXPECT_EQ(read(".npmrc"), "a=1\n");
    // What the user has committed meanwhile is one.
    git("checkout -q main");
    write(".npmrc", "user's\n");
    git("commit -qam mine && git checkout -q HEAD~1");
    run([&] { git("checkout -q main"); });
    EXPECT_EQ(read(".npmrc"), "user's\n");
}

TEST_F(CommitsTest, CommitOfAnOverlappingRunIsNoReference) {
    make_branches();
    auto first = begin();
    perform([&] {
        git("checkout -qb planted");
        write(".npmrc", "evil\n");
        git("commit -qam evil && git checkout -q main");
    });
    auto second = begin();
    perform([&] { git("checkout -q planted -- .npmrc"); });
    second->finish();
    EXPECT_EQ(read(".npmrc"), "a=1\n");
    first->finish();
}

TEST_F(CommitsTest, ForgedObjectsAreNotBelieved) {
    make_branches();
    run([&] {
        // The tree of the user's commit, as a loose object with other content under the same name.
        EXPECT_EQ(system(("cd '" + project_ + "' && printf 'evil\\n' > .npmrc && blob=$(git hash-object -w .npmrc) && "
                          "tree=$(git rev-parse other^{tree}) && "
                          "new=$(git ls-tree $tree | sed \"s/blob [0-9a-f]*\\t.npmrc/blob $blob\\t.npmrc/\" | git mktree) && "
                          "dir=.git/objects && chmod -R u+w $dir && "
                          "cp $dir/$(echo $new | cut -c1-2)/$(echo $new | cut -c3-) "
                          "$dir/$(echo $tree | cut -c1-2)/$(echo $tree | cut -c3-)").c_str()), 0);
    });
    EXPECT_EQ(read(".npmrc"), "a=1\n");
}

TEST_F(CommitsTest, RefTipsOfAllKinds) {
    EXPECT_TRUE(ref_tips(at(".git"), at(".git")).empty());
    make_branches();
    git("tag light && git tag -am x heavy && git pack-refs --all && git checkout -q --detach other && git branch third");
    auto tips = ref_tips(at(".git"), at(".git"));
    EXPECT_GE(tips.size(), 2U);
    for (const char* name : {"main", "other", "third", "HEAD"}) {
        std::string command = "git -C '" + project_ + "' rev-parse " + name + " > '" + base_ + "/id'";
        EXPECT_EQ(system(command.c_str()), 0);
        EXPECT_NE(std::find(tips.begin(), tips.end(), read_file(base_ + "/id").substr(0, 40)), tips.end()) << name;
    }
}

TEST_F(CommitsTest, HostileAnswers) {
    Item item;
    item.content = "x";
    item.mode = 0644;
    std::string tip(40, 'a');
    for (const std::string& answer :
         {std::string(), std::string("garbage"), tip + " commit 99999999999\n", tip + " commit 5\ntree", tip + " missing\n",
          tip + " commit 4\nabcd\n", std::string(1000, '\n'), tip + " tree -1\nx\n"}) {
        auto known = committed({{"a/.npmrc", &item, nullptr}, {"a", nullptr, &item}}, {tip}, [&](const std::string&) { return answer; });
        EXPECT_EQ(known, std::vector<bool>({false, false})) << answer;
    }
}

}  // namespace
}  // namespace sbx::hold
