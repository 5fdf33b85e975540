// For random plans and paths, what the profile decides is what the plan says (issue: at least 1,000).
#include <algorithm>
#include <random>

#include "macos/render/seatbelt.h"
#include "plan/mounts.h"
#include "plan/query.h"
#include "unit/macos/evaluator.h"
#include "unit/macos/profiles.h"
#include "util/text.h"

namespace sbx {
namespace {

const std::vector<std::string> kOperations = {
    "file-read-metadata", "file-read-data",    "file-read-xattr",    "file-map-executable", "process-exec",     "file-write-data",
    "file-write-create",  "file-write-mode",   "file-write-setugid", "file-write-unlink",   "network-outbound"};

class Dice {
  public:
    explicit Dice(unsigned seed) : engine_(seed) {}
    size_t below(size_t limit) { return std::uniform_int_distribution<size_t>(0, limit - 1)(engine_); }
    bool one_in(size_t n) { return below(n) == 0; }

  private:
    std::mt19937 engine_;
};

// Few names, so that paths meet; some of them hostile.
const char* const kNames[] = {"a", "b", "c", "a\"b", "x\\y", "(deny default)", "line\nbreak", "\xc3\xa9", "ab"};
const char* const kRoots[] = {"/Users/me/src/app", "/Users/me/src", "/private/tmp", "/opt", "/Volumes/d"};

std::string random_path(Dice& dice, size_t deepest) {
    std::string path = kRoots[dice.below(std::size(kRoots))];
    for (size_t depth = dice.below(deepest + 1); depth > 0; --depth) {
        path = path_join(path, kNames[dice.below(std::size(kNames))]);
    }
    return path;
}

Mount random_mount(Dice& dice) {
    std::string path = random_path(dice, 3);
    switch (dice.below(10)) {
        case 0: return test::bound(path, Purpose::System, Access::Read);
        case 1:
        case 2: return test::bound(path, Purpose::ReadGrant, Access::Read);
        case 3: return test::bound(path, Purpose::Worktree, Access::Write);
        case 4:
        case 5: return test::bound(path, Purpose::WriteGrant, Access::Write);
        case 6: return test::bound(path, Purpose::Pin, Access::Write);
        case 7: return test::bound(path, Purpose::Guard, Access::Read);
        case 8: return test::mask(path, Purpose::System);
        default: return test::mask(path);
    }
}

bool leads_to_protected(const Plan& plan, const std::string& path) {
    auto writes = [](const Mount& mount) { return mount.kind == Mount::Kind::Bind && mount.access == Access::Write; };
    return std::any_of(plan.mounts.begin(), plan.mounts.end(), [&](const Mount& mount) {
        // The root itself of a writable tree is granted, so it exists.
        bool inside = std::any_of(plan.mounts.begin(), plan.mounts.end(), [&](const Mount& tree) {
            return writes(tree) && tree.purpose != Purpose::Pin && tree.destination != path && path_within(path, tree.destination);
        });
        return !writes(mount) && inside && mount.destination != path && path_within(mount.destination, path);
    });
}

class SeatbeltPlans : public testing::TestWithParam<unsigned> {};

TEST_P(SeatbeltPlans, TheProfileDecidesWhatThePlanSays) {
    SBX_NEED_EVALUATOR(evaluator);
    Dice dice(GetParam());
    int readable = 0;
    int writable = 0;
    int hidden = 0;
    for (int round = 0; round < 250; ++round) {
        Plan plan;
        plan.backend = Backend::SandboxExec;
        for (size_t count = 1 + dice.below(9); count > 0; --count) {
            plan.mounts.push_back(random_mount(dice));
        }
        order_mounts(plan);
        auto profile = render_seatbelt(plan, test::mac_facts());
        ASSERT_TRUE(profile.ok());
        ASSERT_EQ(evaluator.load(*profile, dice.one_in(2)), "ok") << *profile;
        for (int query = 0; query < 4; ++query) {
            // Half of the paths lie at or below a mount, so that the borders are hit.
            std::string path = dice.one_in(2) ? random_path(dice, 5)
                                              : plan.mounts[dice.below(plan.mounts.size())].destination;
            if (dice.one_in(4)) {
                path = path_join(path, kNames[dice.below(std::size(kNames))]);
            }
            PathAnswer expected = query_path(plan, path);
            bool on_the_way = expected.mount == nullptr && expected.visible;
            bool read = expected.readable && !on_the_way;  // it can be passed, not listed
            std::string about = "round " + std::to_string(round) + " path " + path + "\n" + *profile;
            std::set<std::string> allowed = evaluator.allowed_on(path, kOperations);
            ASSERT_EQ(allowed.count("file-read-metadata") != 0, expected.visible) << about;
            for (const char* operation : {"file-read-data", "file-read-xattr", "file-map-executable", "process-exec"}) {
                ASSERT_EQ(allowed.count(operation) != 0, read) << operation << " " << about;
            }
            for (const char* operation : {"file-write-data", "file-write-mode"}) {
                ASSERT_EQ(allowed.count(operation) != 0, expected.writable) << operation << " " << about;
            }
            // A directory above something protected is there, or must not come to be.
            bool above = leads_to_protected(plan, path);
            ASSERT_EQ(allowed.count("file-write-create") != 0, expected.writable && !above) << about;
            ASSERT_EQ(allowed.count("file-write-setugid") + allowed.count("network-outbound"), 0U) << about;
            bool removable = allowed.count("file-write-unlink") != 0;
            ASSERT_TRUE(expected.writable || !removable) << about;
            for (const Mount& mount : plan.mounts) {
                // Neither a mount point nor a directory above it can be moved away.
                ASSERT_FALSE(removable && path_within(mount.destination, path) && mount.purpose != Purpose::Pin) << about;
            }
            readable += read ? 1 : 0;
            writable += expected.writable ? 1 : 0;
            hidden += expected.visible ? 0 : 1;
        }
    }
    // The dice must have thrown all of it.
    EXPECT_GT(readable, 100);
    EXPECT_GT(writable, 100);
    EXPECT_GT(hidden, 100);
}

// A thousand plans, in four parts that can run side by side.
INSTANTIATE_TEST_SUITE_P(Thousand, SeatbeltPlans, testing::Values(20261201U, 1U, 2U, 3U));

/// A policy as somebody could write it: a shipped profile, and settings by chance.
test::Flags random_flags(Dice& dice, HostFacts& facts) {
    test::Flags flags;
    auto choose = [&](const char* key, std::initializer_list<const char*> values) {
        if (dice.one_in(2)) {
            flags.push_back({key, *(values.begin() + static_cast<std::ptrdiff_t>(dice.below(values.size())))});
        }
    };
    choose("sandbox.network", {"on", "off"});
    choose("sandbox.systemRead", {"minimal", "normal", "full"});
    choose("sandbox.home", {"private", "persistent"});
    choose("sandbox.gitWrite", {"true", "false"});
    choose("guards.git", {"always", "tainted", "off"});
    choose("guards.handover", {"protect", "hold", "off"});
    choose("guards.instructions", {"always", "tainted", "off"});
    const char* keys[] = {"sandbox.allowedReadPaths", "sandbox.allowedWritePaths", "sandbox.allowedWritePaths", "guards.paths"};
    for (size_t count = dice.below(5); count > 0; --count) {
        std::string path = random_path(dice, 3);
        if (path.find_first_of("\n,") != std::string::npos) {
            continue;  // no setting can hold it
        }
        test::add_path(facts, path);
        flags.push_back({keys[dice.below(std::size(keys))], path});
    }
    for (size_t count = dice.below(4); count > 0; --count) {
        facts.scan.masks.push_back({});
        facts.scan.masks.back().path = path_join(facts.cwd, kNames[dice.below(std::size(kNames))]);
        facts.scan.masks.back().pattern = "*.pem";
    }
    return flags;
}

TEST(SeatbeltProperty, WholePoliciesDecideWhatExplainSays) {
    SBX_NEED_EVALUATOR(evaluator);
    Dice dice(41);
    const char* const profiles[] = {"", "agent", "ci", "default", "fusion", "git-look", "node", "pine", "rust", "untrusted"};
    const char* const places[] = {"/Users/me/src/app/.git/config", "/Users/me/src/app/.git/hooks/x", "/Users/me/src/app/.fusion/x",
                                  "/Users/me/.ssh/id_rsa", "/private/etc/hosts", "/private/tmp/x", "/usr/bin/git", "/opt/homebrew/bin/x",
                                  "/Users/me/.cargo/credentials.toml", "/Users/me/.rustup/x", "/Users/me/src/app/.envrc"};
    int refused = 0;
    int readable = 0;
    int writable = 0;
    for (int round = 0; round < 60; ++round) {
        HostFacts facts = test::mac_facts();
        const char* name = profiles[dice.below(std::size(profiles))];
        auto plan = test::plan_of_profile(name, random_flags(dice, facts), facts);
        if (!plan.ok()) {
            ++refused;  // such a policy never runs
            continue;
        }
        auto profile = render_seatbelt(*plan, facts);
        ASSERT_TRUE(profile.ok()) << profile.error().message;
        ASSERT_EQ(evaluator.load(*profile, dice.one_in(2)), "ok");
        for (int query = 0; query < 40; ++query) {
            std::string path = dice.one_in(3)   ? places[dice.below(std::size(places))]
                               : dice.one_in(2) ? random_path(dice, 4)
                                                : plan->mounts[dice.below(plan->mounts.size())].destination;
            PathAnswer expected = query_path(*plan, path);
            bool tree = std::none_of(plan->mounts.begin(), plan->mounts.end(), [&](const Mount& mount) {
                return mount.kind != Mount::Kind::Bind && mount.kind != Mount::Kind::Mask && path_within(path, mount.destination);
            });
            if (!tree || path == "/") {
                continue;  // links and devices have rules of their own, see the table
            }
            std::set<std::string> allowed = evaluator.allowed_on(path, {"file-read-data", "file-write-data"});
            bool read = expected.readable && expected.mount != nullptr;
            std::string about = std::string(name) + " round " + std::to_string(round) + " path " + path;
            ASSERT_EQ(allowed.count("file-read-data") != 0, read) << about << "\n" << *profile;
            ASSERT_EQ(allowed.count("file-write-data") != 0, expected.writable) << about << "\n" << *profile;
            readable += read ? 1 : 0;
            writable += expected.writable ? 1 : 0;
        }
    }
    EXPECT_LT(refused, 30);
    EXPECT_GT(readable, 300);
    EXPECT_GT(writable, 200);
}

TEST(SeatbeltProperty, NewerOperationsAnswerAsTheOnesTheyCameFrom) {
    SBX_NEED_EVALUATOR(evaluator);
    Dice dice(7);
    for (int round = 0; round < 40; ++round) {
        Plan plan;
        plan.backend = Backend::SandboxExec;
        for (size_t count = 1 + dice.below(6); count > 0; --count) {
            plan.mounts.push_back(random_mount(dice));
        }
        order_mounts(plan);
        auto profile = render_seatbelt(plan, test::mac_facts());
        ASSERT_TRUE(profile.ok());
        ASSERT_EQ(evaluator.load(*profile), "ok");
        for (int query = 0; query < 15; ++query) {
            std::string path = random_path(dice, 4);
            PathAnswer expected = query_path(plan, path);
            std::set<std::string> allowed = evaluator.allowed_on(path, {"file-test-existence", "file-link", "file-clone"});
            ASSERT_EQ(allowed.count("file-test-existence") != 0, expected.visible) << path << "\n" << *profile;
            bool make = expected.writable && !leads_to_protected(plan, path);
            ASSERT_EQ(allowed.count("file-link") != 0, make) << path << "\n" << *profile;
            ASSERT_EQ(allowed.count("file-clone") != 0, make) << path << "\n" << *profile;
        }
    }
}

}  // namespace
}  // namespace sbx
