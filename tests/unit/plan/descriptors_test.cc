#include "plan/descriptors.h"

#include <gtest/gtest.h>

namespace sbx {
namespace {

std::vector<int> kept(std::vector<std::string> argv, std::vector<int> pipes, const std::string& flags = "",
                      std::vector<int> keep = {}) {
    HostFacts facts;
    facts.inherited_pipes = std::move(pipes);
    if (!flags.empty()) {
        facts.environment = {{"MAKEFLAGS", flags}};
    }
    Invocation invocation;
    invocation.argv = std::move(argv);
    invocation.keep_fds = std::move(keep);
    return plan_descriptors(facts, invocation);
}

using Numbers = std::vector<int>;

TEST(Descriptors, ProcessSubstitution) {
    EXPECT_EQ(kept({"diff", "/dev/fd/63", "--from=/dev/fd/62"}, {62, 63}), (Numbers{62, 63}));
}

TEST(Descriptors, OnlyPipesAndOnlyNamedOnes) {
    EXPECT_EQ(kept({"cat", "/dev/fd/9"}, {62}), Numbers{}) << "9 is a file or a directory";
    EXPECT_EQ(kept({"cat"}, {5, 62}), Numbers{});
    EXPECT_EQ(kept({"cat", "/dev/fd/99999999999"}, {5}), Numbers{});
}

TEST(Descriptors, Jobserver) {
    EXPECT_EQ(kept({"make"}, {3, 4, 5}, " -j8 --jobserver-auth=3,4"), (Numbers{3, 4}));
    EXPECT_EQ(kept({"make"}, {3, 4}, "--jobserver-fds=3,4 -j"), (Numbers{3, 4}));
    EXPECT_EQ(kept({"make"}, {3, 4}, "--jobserver-auth=fifo:/tmp/GMfifo1"), Numbers{});
    EXPECT_EQ(kept({"make"}, {3, 4}, "--jobserver-auth=-2,-2"), Numbers{});
}

TEST(Descriptors, KeepFdIsKeptWhateverItIs) { EXPECT_EQ(kept({"x"}, {}, "", {7, 7, 5}), (Numbers{5, 7})); }

}  // namespace
}  // namespace sbx
