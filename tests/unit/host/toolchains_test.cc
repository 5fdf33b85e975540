#include "host/toolchains.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "host/resolve.h"
#include "host/user_git_config.h"

namespace sbx {
namespace {

namespace fs = std::filesystem;

class ToolchainsTest : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "sbx-tools-XXXXXX").string();
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        root = fs::canonical(pattern).string();
        facts.home = facts.home_as_given = root + "/home";
        fs::create_directories(facts.home);
    }
    void TearDown() override { fs::remove_all(root); }

    void file(const std::string& path, const std::string& text = "") {
        fs::path full = facts.home + "/" + path;
        fs::create_directories(full.parent_path());
        std::ofstream(full) << text;
    }

    /// The places found, relative to the home, hidden ones after a '-'.
    std::string found(const std::string& path, bool network = false) {
        facts.toolchains.clear();
        facts.environment = {{"PATH", path}};
        Policy policy;
        policy.network.value = network ? NetworkMode::On : NetworkMode::Off;
        find_toolchains(policy, facts);
        std::string out;
        for (const Toolchain& toolchain : facts.toolchains) {
            out += toolchain.prefix.substr(facts.home.size()) + " ";
            for (const auto& hidden : toolchain.hidden) {
                out += "-" + hidden.substr(facts.home.size()) + " ";
            }
        }
        return out;
    }

    std::string home(const std::string& path) const { return facts.home + "/" + path; }

    std::string root;
    HostFacts facts;
};

TEST_F(ToolchainsTest, PrefixesAndWhatGoesWithThem) {
    file(".nvm/versions/node/v20/bin/node");
    file(".nvm/versions/node/v20/etc/npmrc");
    file(".rustup/settings.toml");
    file(".cargo/bin/cargo");
    file(".cargo/credentials.toml");
    file(".cargo/registry/x");
    EXPECT_EQ(found(home(".nvm/versions/node/v20/bin")),
              "/.nvm/versions/node/v20 -/.nvm/versions/node/v20/etc/npmrc ");
    EXPECT_EQ(found(home(".cargo/bin")), "/.cargo/bin /.cargo/registry /.rustup ");
    EXPECT_EQ(found(home(".cargo/bin"), true), "/.cargo/bin /.rustup ");
}

TEST_F(ToolchainsTest, UnknownPlacesAloneAndNeverPrivateOnes) {
    file("apps/x/bin/x");
    file(".ssh/id");
    file(".config/gcloud/bin/gcloud");
    file(".local/share/keyrings/k");
    EXPECT_EQ(found(home("apps/x/bin")), "/apps/x/bin ");
    EXPECT_EQ(found(home(".ssh") + ":" + home(".config/gcloud/bin") + ":" + home(".config") + ":" + home(".local") +
                    ":" + facts.home + ":" + root + ":/::.:bin:" + home("apps/../.ssh") + ":" + home("missing")),
              "");
    fs::create_symlink(".ssh", home("tools"));
    fs::create_symlink(".", home("self"));
    EXPECT_EQ(found(home("tools") + ":" + home("self") + ":" + home("self/tools")), "");
}

TEST_F(ToolchainsTest, HiddenDirectoriesEndWithASlash) {
    file(".rye/shims/python");
    file(".rye/credentials/x");
    EXPECT_EQ(found(home(".rye/shims")), "/.rye -/.rye/credentials/ ");
}

TEST_F(ToolchainsTest, LocalBinBringsOnlyWhatItsProgramsName) {
    file(".local/bin/a", "#!/bin/sh\nexec \"$HOME/.local/share/app/run\" /usr/share/icons/x share/fish/y\n");
    file(".local/bin/binary", "\177ELF share/hidden/x");
    file(".local/share/app/run");
    file(".local/share/icons/x");
    file(".local/share/fish/y");
    file(".local/share/hidden/x");
    file(".local/share/uv/python/p");
    file(".local/share/uv/credentials/c");
    fs::create_symlink("../share/uv/python/p", home(".local/bin/p"));
    EXPECT_EQ(found(home(".local/bin")),
              "/.local/bin /.local/share/app /.local/share/uv -/.local/share/uv/credentials/ ");
}

TEST_F(ToolchainsTest, LinksOnTheWayAreRecorded) {
    file("real/bin/x");
    fs::create_symlink("real", home("link"));
    EXPECT_EQ(found(home("link/bin")), "/real/bin ");
    EXPECT_TRUE(std::any_of(facts.links.begin(), facts.links.end(), [&](const SystemPath& link) {
        return link.path == home("link") && link.link_target == "real";
    }));
    fs::create_symlink("loop", home("loop"));
    std::vector<SystemPath> links;
    EXPECT_FALSE(walk_path(home("loop/x"), links).has_value());
    EXPECT_EQ(walk_path(home("link/../link/bin"), links), home("real/bin"));
}

TEST_F(ToolchainsTest, IdentityIsNameMailAndHarmlessKeys) {
    file(".config/git/config", "[user]\nname = Old\nemail = a@b\n[color]\nui = auto\n");
    file("dotfiles/gitconfig", "[user]\nname = New\nsigningkey = K\n[commit]\ngpgsign\n[include]\npath = x\n[pull]\nrebase\n");
    fs::create_symlink("dotfiles/gitconfig", home(".gitconfig"));
    EXPECT_EQ(read_identity(facts), (Variables{{"user.email", "a@b"},
                                               {"color.ui", "auto"},
                                               {"user.name", "New"},
                                               {"pull.rebase", "true"}}));
    file("dotfiles/gitconfig", "[user\nname = broken\n");
    EXPECT_EQ(read_identity(facts).front(), (std::pair<std::string, std::string>{"user.name", "Old"}));
}

TEST_F(ToolchainsTest, RepositoryConfigIsFollowedAsGitDoes) {
    GitFacts git;
    git.top_level = home("p");
    git.common_dir = git.git_dir = home("p/.git");
    file("p/.git/config", "[core]\nhooksPath = .husky\n[include]\npath = ../more.inc\n[includeIf \"x\"]\npath = ~/y.inc\n");
    file("p/more.inc", "[core]\nhookspath = /abs\n[include]\npath = more.inc\n");
    ASSERT_TRUE(read_repository_config(git, facts).ok());
    EXPECT_EQ(git.hooks_paths, (std::vector<std::string>{home("p/.husky"), "/abs", home("y.inc")}));
    EXPECT_EQ(git.includes, (std::vector<std::string>{home("p/more.inc"), home("y.inc")}));
    EXPECT_EQ(facts.paths.at(home("y.inc")).kind, FileKind::Missing);

    std::string many;
    for (int n = 0; n < 1001; ++n) {
        many += "[include]\npath = /none/" + std::to_string(n) + "\n";
    }
    file("p/.git/config", many);
    EXPECT_FALSE(read_repository_config(git, facts).ok()) << "what is left out would be open";
}

}  // namespace
}  // namespace sbx
