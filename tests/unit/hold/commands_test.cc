// sbx held, sbx accept, sbx discard.
#include "hold/commands.h"

#include "hold/diff.h"
#include "unit/hold/fixture.h"

namespace sbx::hold {
namespace {

class CommandsTest : public HoldTest {
  protected:
    Selection all() const {
        Selection selection;
        selection.state_directory = state_;
        selection.live_directory = live_;
        selection.cwd = project_;
        return selection;
    }
    Selection only(const std::vector<std::string>& paths) const {
        Selection selection = all();
        selection.paths = paths;
        return selection;
    }
    bool accept(const Selection& selection, bool replace = false) {
        lines_.clear();
        auto done = accept_held(selection, replace, [&](const std::string& line) { lines_ += line + "\n"; });
        if (!done.ok()) {
            lines_ += done.error().code;
        }
        return done.ok() && *done;
    }
    void discard(const Selection& selection) {
        auto done = discard_held(selection, [](const std::string&) {});
        EXPECT_TRUE(done.ok());
    }
    std::string list(bool diff = false) {
        auto text = list_held(all(), diff);
        return text.ok() ? *text : text.error().code;
    }
    std::string lines_;
};

TEST_F(CommandsTest, AcceptPutsEverythingInPlaceAndForgetsIt) {
    write(".envrc", "old");
    write(".npmrc", "gone");
    run([&] {
        write(".envrc", "new", 0755);
        write(".vscode/a/tasks.json", "{}");
        fs::create_symlink("x", at(".mcp.json"));
        fs::remove(at(".npmrc"));
    });
    EXPECT_NE(list().find("created  .vscode/a/tasks.json"), std::string::npos);
    EXPECT_NE(list().find("changed  .envrc"), std::string::npos);
    EXPECT_NE(list().find("removed  .npmrc"), std::string::npos);
    EXPECT_TRUE(accept(all())) << lines_;
    EXPECT_EQ(read(".envrc"), "new");
    EXPECT_EQ(fs::status(at(".envrc")).permissions(), fs::perms(0755));
    EXPECT_EQ(read(".vscode/a/tasks.json"), "{}");
    EXPECT_EQ(fs::read_symlink(at(".mcp.json")), "x");
    EXPECT_FALSE(there(".npmrc"));
    EXPECT_EQ(list(), "");
    EXPECT_FALSE(fs::exists(state_ + "/held"));
    EXPECT_TRUE(fs::is_empty(runtime_));
}

TEST_F(CommandsTest, AcceptsOnlyWhatIsNamed) {
    run([&] {
        write(".envrc", "a");
        write(".vscode/x", "b");
        write(".vscode/y", "c");
    });
    EXPECT_TRUE(accept(only({".vscode"})));
    EXPECT_EQ(read(".vscode/x"), "b");
    EXPECT_EQ(read(".vscode/y"), "c");
    EXPECT_FALSE(there(".envrc"));
    EXPECT_EQ(list().find(".vscode"), std::string::npos);
    EXPECT_NE(list().find(".envrc"), std::string::npos);
    EXPECT_FALSE(accept(only({"nothing"})));
    EXPECT_EQ(lines_, "not_held");
}

TEST_F(CommandsTest, HostEditIsNotOverwritten) {
    write(".envrc", "old");
    run([&] { write(".envrc", "command's"); });
    write(".envrc", "host's");
    EXPECT_FALSE(accept(all()));
    EXPECT_NE(lines_.find("both kept"), std::string::npos);
    EXPECT_EQ(read(".envrc"), "host's");
    EXPECT_EQ(held_content(".envrc"), "command's");
    EXPECT_TRUE(accept(all(), true)) << lines_;
    EXPECT_EQ(read(".envrc"), "command's");
    EXPECT_EQ(held_content(".envrc"), "host's") << "--replace lost the host's version";
}

TEST_F(CommandsTest, NewestVersionFirstAndTheOlderStays) {
    run([&] { write(".envrc", "one"); });
    run([&] { write(".envrc", "two"); });
    EXPECT_TRUE(accept(all()));
    EXPECT_EQ(read(".envrc"), "two");
    EXPECT_NE(lines_.find("older version"), std::string::npos);
    EXPECT_EQ(held_content(".envrc"), "one");
    discard(all());
    EXPECT_EQ(list(), "");
    EXPECT_EQ(read(".envrc"), "two");
}

TEST_F(CommandsTest, NeverThroughALink) {
    run([&] { write("sub/.vscode/tasks.json", "x"); });
    fs::remove_all(at("sub"));
    fs::create_directory(base_ + "/outside");
    fs::create_symlink(base_ + "/outside", at("sub"));
    EXPECT_FALSE(accept(all()));
    EXPECT_TRUE(fs::is_empty(base_ + "/outside"));
    EXPECT_EQ(held_content("sub/.vscode/tasks.json"), "x");
}

TEST_F(CommandsTest, FolderWithOtherThingsIsNeverRemoved) {
    run([&] { write(".envrc", "x"); });
    write(".envrc/precious", "host's");
    EXPECT_FALSE(accept(all(), true));
    EXPECT_EQ(read(".envrc/precious"), "host's");
    EXPECT_EQ(held_content(".envrc"), "x");
}

TEST_F(CommandsTest, RemovedFolderWithNewThingsStays) {
    write(".husky/pre-commit", "x");
    run([&] { fs::remove_all(at(".husky")); });
    write(".husky/mine", "host's");
    accept(all());
    EXPECT_FALSE(there(".husky/pre-commit"));
    EXPECT_EQ(read(".husky/mine"), "host's");
}

TEST_F(CommandsTest, RepositoryConfigComesBackWhole) {
    run([&] {
        EXPECT_EQ(
            system(
                ("git init -q '" + at("n") + "' && git -C '" + at("n") + "' config alias.x '!true'").c_str()),
            0);
    });
    EXPECT_EQ(read("n/.git/config").find("alias"), std::string::npos);
    EXPECT_TRUE(accept(all())) << lines_;
    EXPECT_NE(read("n/.git/config").find("alias"), std::string::npos);
}

TEST_F(CommandsTest, NotWhileACommandIsLive) {
    run([&] { write(".envrc", "x"); });
    auto session = begin();
    EXPECT_FALSE(accept(all()));
    EXPECT_NE(lines_.find("live_run"), std::string::npos);
    session->finish();
    session.reset();
    EXPECT_TRUE(accept(all())) << lines_;
}

TEST_F(CommandsTest, OnlyAroundTheCallersFolder) {
    run([&] { write(".envrc", "x"); });
    Selection elsewhere = all();
    elsewhere.cwd = base_ + "/other";
    EXPECT_EQ(*list_held(elsewhere, false), "");
    elsewhere.cwd = at("some/folder");
    EXPECT_NE(*list_held(elsewhere, false), "");
    elsewhere.cwd = base_ + "/other";
    elsewhere.everywhere = true;
    EXPECT_NE(*list_held(elsewhere, false), "");
}

TEST_F(CommandsTest, DiffIsCleanForTheTerminal) {
    write(".envrc", "one\ntwo\nthree\n");
    run([&] { write(".envrc", "one\n\x1b[31mtwo\nthree\n"); });
    std::string text = list(true);
    EXPECT_NE(text.find("--- a/.envrc\n+++ b/.envrc\n@@ -1,3 +1,3 @@\n one\n-two\n+"), std::string::npos)
        << text;
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST_F(CommandsTest, Json) {
    run([&] { write(".envrc", "x"); });
    auto text = list_held_json(all());
    ASSERT_TRUE(text.ok());
    EXPECT_NE(text->find("\"path\": \".envrc\", \"change\": \"created\""), std::string::npos);
    discard(all());
    EXPECT_EQ(*list_held_json(all()), "[]\n");
}

TEST(UnifiedDiff, MatchesThePatchFormat) {
    EXPECT_EQ(unified_diff("a\n", "a\n"), "");
    EXPECT_EQ(unified_diff("", "a\nb\n"), "@@ -0,0 +1,2 @@\n+a\n+b\n");
    EXPECT_EQ(unified_diff("a\nb", ""), "@@ -1,2 +0,0 @@\n-a\n-b\n\\ No newline at end of file\n");
    std::string before;
    std::string after;
    for (int i = 0; i < 40; ++i) {
        before += "line " + std::to_string(i) + "\n";
        after += i == 5 || i == 30 ? "other\n" : "line " + std::to_string(i) + "\n";
    }
    std::string diff = unified_diff(before, after);
    EXPECT_NE(diff.find("@@ -3,7 +3,7 @@\n"), std::string::npos) << diff;
    EXPECT_NE(diff.find("@@ -28,7 +28,7 @@\n"), std::string::npos) << diff;
}

TEST(UnifiedDiff, PatchAppliesForRandomTexts) {
    unsigned seed = 1;
    auto next = [&] { return (seed = seed * 1103515245 + 12345) >> 16; };
    for (int round = 0; round < 300; ++round) {
        std::vector<std::string> texts(2);
        for (std::string& text : texts) {
            for (unsigned i = next() % 30; i > 0; --i) {
                text += std::string(1, static_cast<char>('a' + next() % 4)) + "\n";
            }
        }
        // Applying the hunks to `before` must give `after`.
        std::string result;
        std::string_view rest = texts[0];
        size_t line = 0;
        auto pass = [&] {
            size_t end = rest.find('\n') + 1;
            std::string text(rest.substr(0, end));
            rest.remove_prefix(end);
            ++line;
            return text;
        };
        std::string diff = unified_diff(texts[0], texts[1]);
        std::string_view script = diff;
        while (!script.empty()) {
            size_t end = script.find('\n') + 1;
            std::string text(script.substr(0, end));
            script.remove_prefix(end);
            if (text.rfind("@@", 0) == 0) {
                size_t from = std::stoul(text.substr(4));
                bool none = text.find(",0 +") != std::string::npos;
                while (line + (none ? 0 : 1) < from) {
                    result += pass();
                }
            } else if (text[0] == '+') {
                result += text.substr(1);
            } else {
                std::string old = pass();
                EXPECT_EQ(old, text.substr(1));
                result += text[0] == ' ' ? old : "";
            }
        }
        result += rest;
        ASSERT_EQ(result, texts[1]) << diff;
    }
}

}  // namespace
}  // namespace sbx::hold
