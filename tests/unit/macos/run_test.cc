// The Mac's runner against the fake sandbox-exec: arguments, status, signals, failures, what is left.
#include <csignal>

#include "unit/macos/evaluator.h"
#include "unit/macos/runner.h"

namespace sbx {
namespace {

using test::Running;
using test::World;

TEST(SeatbeltRun, HandsOverArgumentsAndEnvironmentByteForByte) {  // P40
    World world;
    world.plan.argv = {"sh", "-c", "printf '%s|' \"$@\"; env -0 | sort -z | tr '\\0' ';'", "x", "", "a b\n", "\xff'\"\\"};
    world.plan.environment.push_back({"ODD", "line\nbreak = \xff", {}});
    setenv("LEAKED", "secret", 1);
    Running run(world);
    EXPECT_EQ(run.exit_code(), 0) << run.errors;
    EXPECT_EQ(run.output.rfind("|a b\n|\xff'\"\\|", 0), 0U) << run.output;
    EXPECT_NE(run.output.find("ODD=line\nbreak = \xff;"), std::string::npos);
    EXPECT_EQ(run.output.find("LEAKED"), std::string::npos);
    // The tool itself: -f FILE -- COMMAND, once for the trial and once for the command.
    std::string calls = world.read("calls");
    std::string profile = world.facts.mac.run_directory + "/profile.sb";
    std::string start = std::string("-f") + '\0' + profile + '\0' + "--" + '\0';
    EXPECT_EQ(calls.rfind(start + "/bin/true" + '\0', 0), 0U);
    EXPECT_NE(calls.find(start + "sh" + '\0'), std::string::npos);
}

TEST(SeatbeltRun, TheProfileIsOneThatAMacTakes) {
    if (test::guile() == nullptr) {
        GTEST_SKIP() << "guile-3.0 is not installed";
    }
    World world;
    std::filesystem::copy_file(SBX_SOURCE_DIR "/tests/tools/sbpl.scm", world.path("sbpl.scm"));
    world.shell("exit 5");
    Running run(world);
    EXPECT_EQ(run.exit_code(), 5) << run.errors;
}

TEST(SeatbeltRun, PassesTheStatusOn) {
    World world;
    world.shell("exit 71");  // also one that sandbox-exec uses itself
    EXPECT_EQ(Running(world).exit_code(), 71);
    world.shell("kill -USR1 $$");
    EXPECT_EQ(Running(world).exit_code(), -SIGUSR1);
}

TEST(SeatbeltRun, FindsTheCommandBeforehand) {
    World world;
    world.plan.argv = {"no-such-command"};
    Running missing(world);
    EXPECT_EQ(missing.exit_code(), 127);
    EXPECT_NE(missing.errors.find("not_found"), std::string::npos);

    world.write("work/plain", "text", 0644);
    world.plan.argv = {"./plain"};
    EXPECT_EQ(Running(world).exit_code(), 126);

    world.write("work/script", "#!/no/such/interpreter -x\n", 0755);
    world.plan.argv = {world.path("work/script")};
    Running script(world);
    EXPECT_EQ(script.exit_code(), 126);
    EXPECT_NE(script.errors.find("/no/such/interpreter"), std::string::npos);

    world.write("work/fine", "#!/bin/sh\nexit 3\n", 0755);
    world.plan.argv = {"./fine"};
    EXPECT_EQ(Running(world).exit_code(), 3);
    world.plan.mounts.push_back(test::mask(world.path("work/fine")));
    Running hidden(world);
    EXPECT_EQ(hidden.exit_code(), 127);
    EXPECT_NE(hidden.errors.find("not visible in the sandbox"), std::string::npos);
}

TEST(SeatbeltRun, TakesAnEmptyPathEntryAsTheDirectory) {
    World world;
    world.write("work/tool", "#!/bin/sh\nexit 4\n", 0755);
    world.plan.environment[0].value = ":/usr/bin:/bin";
    world.plan.argv = {"tool"};
    EXPECT_EQ(Running(world).exit_code(), 4);
}

TEST(SeatbeltRun, FailsClosedWhenTheSandboxCannotBeHad) {  // F32, C24
    for (const auto& [answer, said] : std::vector<std::pair<std::string, std::string>>{
             {"nested", "nested_sandbox: already inside a macOS sandbox"}, {"abort", "SIGABRT"}}) {
        World world;
        world.write("answer", answer);
        world.shell("touch ran");
        Running run(world);
        EXPECT_EQ(run.exit_code(), 125);
        EXPECT_NE(run.errors.find(said), std::string::npos) << run.errors;
        EXPECT_FALSE(std::filesystem::exists(world.path("work/ran")));
        EXPECT_FALSE(std::filesystem::exists(world.facts.mac.run_directory));
    }
}

TEST(SeatbeltRun, NamesARefusedProfile) {
    World world;
    world.write("sandbox-exec", "#!/bin/sh\necho 'sandbox-exec: unbound variable: x at <input string>, line 3' >&2\nexit 65\n",
                0755);
    world.shell("touch ran");
    Running run(world);
    EXPECT_EQ(run.exit_code(), 125);
    EXPECT_NE(run.errors.find("macOS refused the profile: sandbox-exec: unbound variable: x at <input string>, line 3"),
              std::string::npos) << run.errors;
    EXPECT_FALSE(std::filesystem::exists(world.path("work/ran")));
}

TEST(SeatbeltRun, StartsNothingWithoutTheToolOrInsideASandbox) {  // F33
    World world;
    world.shell("touch ran");
    world.facts.mac.sandbox_exec = false;
    Running missing(world);
    EXPECT_EQ(missing.exit_code(), 125);
    EXPECT_NE(missing.errors.find("install Xcode Command Line Tools"), std::string::npos);
    world.facts.mac.sandbox_exec = true;
    world.facts.mac.inside_sandbox = true;
    Running nested(world);
    EXPECT_EQ(nested.exit_code(), 125);
    EXPECT_NE(nested.errors.find("no path that is granted changes this"), std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(world.path("work/ran")));
    EXPECT_FALSE(std::filesystem::exists(world.path("calls")));
}

TEST(SeatbeltRun, ForwardsSignalsThatWereSentToIt) {
    World world;
    world.shell("trap 'exit 3' TERM; echo ready; while :; do read x; done < fifo & wait $!");
    mkfifo(world.path("work/fifo").c_str(), 0600);
    Running run(world);
    run.wait_for("ready");
    kill(run.pid(), SIGTERM);
    EXPECT_EQ(run.exit_code(), 3);
}

TEST(SeatbeltRun, DiesOfTheSignalThatKilledTheCommand) {
    World world;
    world.shell("echo ready; exec cat fifo");
    mkfifo(world.path("work/fifo").c_str(), 0600);
    Running run(world);
    run.wait_for("ready");
    kill(run.pid(), SIGINT);
    EXPECT_EQ(run.exit_code(), -SIGINT);
    EXPECT_FALSE(std::filesystem::exists(world.facts.mac.run_directory));
}

TEST(SeatbeltRun, StopsAndContinuesWithTheCommand) {
    World world;
    world.shell("kill -STOP $$; exit 6");
    Running run(world);
    int status = 0;
    ASSERT_EQ(waitpid(run.pid(), &status, WUNTRACED), run.pid());
    ASSERT_TRUE(WIFSTOPPED(status));
    kill(run.pid(), SIGCONT);
    EXPECT_EQ(run.exit_code(), 6);
}

TEST(SeatbeltRun, EndsTheCommandAtTheTimeLimit) {
    World world;
    world.plan.limits.timeout_ms = 300;
    world.shell("exec cat fifo");
    mkfifo(world.path("work/fifo").c_str(), 0600);
    Running run(world);
    EXPECT_EQ(run.exit_code(), 124);
    EXPECT_NE(run.errors.find("the time limit of 300 ms is over"), std::string::npos);
}

bool is_gone(pid_t pid) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    std::getline(stat, text);
    // A zombie of an indifferent init counts as gone.
    return text.empty() || text.find(") Z ") != std::string::npos || text.find(") X ") != std::string::npos;
}

template <typename Condition>
bool happens(const Condition& condition) {
    for (int tries = 0; tries < 2000 && !condition(); ++tries) {
        poll(nullptr, 0, 10);
    }
    return condition();
}

TEST(SeatbeltRun, LeavesNoProcessBehind) {
    World world;
    mkfifo(world.path("work/fifo").c_str(), 0600);
    // Away from its parent, its group and its session, with the output closed.
    world.shell("setsid sh -c 'echo $$ > pid; exec cat fifo' >/dev/null 2>&1 & while ! [ -s pid ]; do :; done");
    Running run(world);
    EXPECT_EQ(run.exit_code(), 0) << run.errors;
    EXPECT_TRUE(is_gone(std::stoi(world.read("work/pid"))));
}

/// Two processes, one of them in a session of its own, that ignore what can be ignored.
constexpr const char* kTwoThatStay =
    "trap '' TERM HUP INT; setsid sh -c 'echo $$ >other; exec cat fifo' >/dev/null 2>&1 & "
    "while ! [ -s other ]; do :; done; echo $$ >own; echo evil >.envrc; echo ready; exec cat fifo";

TEST(SeatbeltRun, LeavesNothingBehindWhenItIsKilled) {
    World world;
    mkfifo(world.path("work/fifo").c_str(), 0600);
    world.plan.handover.handover = Handover::Hold;
    world.plan.handover.roots = {world.plan.worktree};
    world.shell(kTwoThatStay);
    Running run(world);
    run.wait_for("ready");
    pid_t own = std::stoi(world.read("work/own"));
    pid_t other = std::stoi(world.read("work/other"));
    EXPECT_FALSE(is_gone(own) || is_gone(other));
    kill(run.pid(), SIGKILL);
    EXPECT_EQ(run.exit_code(), -SIGKILL);
    EXPECT_TRUE(happens([&] { return is_gone(own) && is_gone(other); }));
    EXPECT_TRUE(happens([&] { return !std::filesystem::exists(world.facts.mac.run_directory); }));
    // The hand-over file is held by what outlived sbx, too, and only after the last writer was gone.
    EXPECT_TRUE(happens([&] { return !std::filesystem::exists(world.path("work/.envrc")); }));
}

TEST(SeatbeltRun, HoldsWhatTheHostWouldObey) {
    World world;
    world.write("work/.npmrc", "before\n");
    std::filesystem::create_directory(world.path("work/sub"));
    world.plan.handover.handover = Handover::Hold;
    world.plan.handover.roots = {world.plan.worktree};
    world.shell("mkdir -p sub/.vscode; echo evil >sub/.vscode/tasks.json; echo evil >.npmrc; echo evil >.Envrc; echo fine >result");
    Running run(world);
    EXPECT_EQ(run.exit_code(), 0) << run.errors;
    EXPECT_EQ(world.read("work/.npmrc"), "before\n");
    EXPECT_EQ(world.read("work/result"), "fine\n");
    EXPECT_FALSE(std::filesystem::exists(world.path("work/sub/.vscode")));
    EXPECT_FALSE(std::filesystem::exists(world.path("work/.Envrc")));
    EXPECT_NE(run.errors.find("sbx: held: "), std::string::npos) << run.errors;
    EXPECT_NE(run.errors.find(".npmrc"), std::string::npos) << run.errors;

    world.options.quiet = true;
    world.plan.handover.handover = Handover::Off;
    Running unheld(world);
    EXPECT_EQ(unheld.exit_code(), 0) << unheld.errors;
    EXPECT_EQ(world.read("work/.npmrc"), "evil\n");
}

TEST(SeatbeltRun, WhatIsTooLargeToKeepIsDeniedInTheProfile) {
    World world;
    std::filesystem::create_directory(world.path("work/.vscode"));
    world.write("work/.vscode/index.bin", "mine");
    std::filesystem::resize_file(world.path("work/.vscode/index.bin"), size_t{40} << 20);
    world.plan.handover.handover = Handover::Hold;
    world.plan.handover.roots = {world.plan.worktree};
    world.shell("cat " + world.facts.mac.run_directory + "/*.sb");
    Running run(world);
    EXPECT_EQ(run.exit_code(), 0) << run.errors;
    EXPECT_NE(run.output.find(".vscode/index.bin"), std::string::npos) << run.output;
}

TEST(SeatbeltRun, KeepsOnlyTheDescriptorsThatWereNamed) {
    World world;
    Fd kept(open("/dev/null", O_RDONLY));
    Fd dropped(open("/dev/null", O_RDONLY));
    world.plan.keep_fds = {kept.get()};
    std::string k = std::to_string(kept.get());
    std::string d = std::to_string(dropped.get());
    world.shell("[ -e /proc/self/fd/" + k + " ] && echo kept; [ -e /proc/self/fd/" + d + " ] || echo dropped");
    Running run(world);
    EXPECT_EQ(run.exit_code(), 0);
    EXPECT_EQ(run.output, "kept\ndropped\n");
}

TEST(SeatbeltRun, RefusesADirectoryAsInput) {
    World world;
    world.shell("touch ran");
    Running run(world, true);
    EXPECT_EQ(run.exit_code(), 125);
    EXPECT_NE(run.errors.find("descriptor 0 is a directory"), std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(world.path("work/ran")));
}

TEST(SeatbeltRun, GivesBackIgnoredSignalsAndTheMask) {
    World world;
    world.plan.argv = {"grep", "-E", "Sig(Blk|Ign)", "/proc/self/status"};
    signal(SIGUSR2, SIG_IGN);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGVTALRM);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    Running run(world);
    sigprocmask(SIG_UNBLOCK, &set, nullptr);
    signal(SIGUSR2, SIG_DFL);
    EXPECT_EQ(run.exit_code(), 0);
    EXPECT_NE(run.output.find("SigBlk:\t0000000002000000"), std::string::npos) << run.output;
    size_t at = run.output.find("SigIgn:\t");
    ASSERT_NE(at, std::string::npos);
    EXPECT_EQ(std::stoull(run.output.substr(at + 8), nullptr, 16) & 0x800, 0x800U) << run.output;
}

TEST(SeatbeltRun, AppliesTheLimits) {
    World world;
    world.plan.limits.open_files = 77;
    world.plan.limits.file_size = 1024 * 1024;
    world.shell("ulimit -n; grep 'Max file size' /proc/self/limits");
    Running run(world);
    EXPECT_EQ(run.exit_code(), 0) << run.errors;
    EXPECT_NE(run.output.find("77\n"), std::string::npos);
    EXPECT_NE(run.output.find("1048576"), std::string::npos);
}

TEST(SeatbeltRun, ReportsToTheHost) {
    World world;
    int pair[2];
    ASSERT_EQ(pipe(pair), 0);
    Fd read_end(pair[0]);
    Fd write_end(pair[1]);
    world.options.json_status_fd = write_end.get();
    world.shell("exit 9");
    Running run(world);
    write_end.reset();
    EXPECT_EQ(run.exit_code(), 9);
    auto text = read_all(read_end.get(), 4096);
    ASSERT_TRUE(text.ok());
    EXPECT_EQ(text->rfind("{\"child-pid\":", 0), 0U);
    EXPECT_NE(text->find("{\"exit-code\":9}"), std::string::npos);
}

TEST(SeatbeltRun, GivesTheHintWhenTheCommandFails) {  // F46
    World world;
    world.shell("exit 1");
    {
        Running quiet(world);
        quiet.wait();
        EXPECT_EQ(quiet.errors, "");
    }
    world.options.verbose = true;
    Running run(world);
    run.wait();
    EXPECT_NE(run.errors.find("expand allowedReadPaths/allowedWritePaths"), std::string::npos);
    world.shell("true");
    Running fine(world);
    fine.wait();
    EXPECT_EQ(fine.errors, "");
}

TEST(SeatbeltRun, ShowsWhatWasRefused) {
    World world;
    world.tools.log = world.path("log");
    world.options.log_denials = true;
    std::string tag = "sbx.run.run-" + std::to_string(getpid()) + "-0a";
    auto event = [&](const std::string& text) { return "printf '%s\\n' '{\"eventMessage\":\"" + text + "\"}'\n"; };
    world.write("log", "#!/bin/sh\necho \"$@\" > " + world.path("arguments") + "\necho 'Filtering the log data using ...'\n" +
                           event("Sandbox: cat(7) deny(1) file-read-data /Users/me/x\\n" + tag) +
                           event("Sandbox: cat(8) deny(1) file-read-data /Users/me/x\\n" + tag) +
                           event("Sandbox: other(9) deny(1) file-read-data /secret") + "exec /bin/sleep 1000\n", 0755);
    world.shell("true");
    Running run(world);
    EXPECT_EQ(run.exit_code(), 0) << run.errors;
    EXPECT_EQ(run.errors, "sbx: denied: file-read-data /Users/me/x (cat)\n");
    EXPECT_EQ(world.read("arguments").rfind("stream --style ndjson --predicate ", 0), 0U);
}

}  // namespace
}  // namespace sbx
