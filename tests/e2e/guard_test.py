#!/usr/bin/env python3
"""Guards hold when the host replaces a guarded file, and when hostile links are swapped during the start."""
import os
import subprocess
import threading
import unittest

from support import Case, for_every_user

# Tries all the time to get its own settings into .git/config, by every way there is; ends at end of input.
ATTACKER = r"""
import os, sys, threading
done = threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), done.set()), daemon=True).start()
evil = b"[core]\n\tfsmonitor = touch PWNED; false\n"
kept = []
print("ready", flush=True)
while not done.is_set():
    for name in (".git/config", ".git/hooks/post-checkout"):
        for flags in (os.O_WRONLY | os.O_APPEND, os.O_PATH):
            try:
                fd = os.open(name, flags)
                kept.append(fd) if len(kept) < 200 else os.close(fd)
                os.write(fd, evil)
            except OSError:
                pass
    for fd in kept[-20:]:
        try:
            os.write(os.open(f"/proc/self/fd/{fd}", os.O_WRONLY | os.O_APPEND), evil)
        except OSError:
            pass
    try:
        with open(".git/evil", "wb") as file:
            file.write(evil)
        os.rename(".git/evil", ".git/config")
    except OSError:
        pass
print("end", flush=True)
"""


class Guards(Case):
    def setUp(self):
        super().setUp()
        self.host("git", "init", "-q", "-b", "trunk")
        self.host("git", "commit", "-q", "--allow-empty", "-m", "one")

    def attack(self):
        process = self.start(self.program, "run", "--", "python3", "-c", ATTACKER, stdin=subprocess.PIPE)
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process

    def finish(self, process):
        out, err = process.communicate("", timeout=60)
        self.assertEqual((process.returncode, out), (0, "end\n"), err)
        return err

    def assert_not_taken_over(self):
        self.assertNotIn("fsmonitor", self.read(".git/config"))
        self.host("git", "status")
        self.assertFalse(os.path.exists(self.path("PWNED")))

    def test_host_git_config_during_a_run(self):
        process = self.attack()
        for number in range(5):
            self.host("git", "config", "user.name", f"host{number}")
        err = self.finish(process)
        self.assert_not_taken_over()
        self.assertIn(".git/config was", err)

    def test_a_harmless_change_of_the_host_stays(self):
        process = self.start(self.program, "run", "--", "sh", "-c", "echo ready; read end; echo x >> .git/config",
                             stdin=subprocess.PIPE)
        self.assertEqual(process.stdout.readline(), "ready\n")
        self.host("git", "remote", "add", "origin", "https://example.org/x.git")
        self.assertIn("the change is kept", process.stderr.readline())
        process.communicate("end\n", timeout=60)
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("example.org", self.read(".git/config"))
        self.assertFalse([name for name in os.listdir(self.path(".git")) if "sbx" in name])

    def test_an_editor_that_renames_the_old_file_away(self):
        process = self.attack()
        with open(self.path(".git/config"), encoding="utf-8") as file:
            text = file.read()
        os.rename(self.path(".git/config"), self.path(".git/config~"))
        self.write(".git/config", content=text + "[user]\n\tname = x\n")
        self.finish(process)
        self.assert_not_taken_over()

    def test_the_host_removes_the_hooks_folder(self):
        process = self.attack()
        os.rename(self.path(".git/hooks"), self.path(".git/hooks.old"))
        self.host("git", "config", "user.name", "x")  # something to wait for
        self.finish(process)
        self.assertFalse(os.path.exists(self.path(".git/hooks/post-checkout")))

    def test_a_guarded_link_is_pinned_and_its_target_guarded(self):
        self.host("sh", "-c", "mkdir shared; mv .git/hooks shared/hooks; ln -s ../shared/hooks .git/hooks")
        for command in ("rm .git/hooks", "ln -sfn /tmp .git/hooks", "mv .git/hooks .git/h", "echo x > .git/hooks/a",
                        "echo x > shared/hooks/a", "mv shared s2", "mv shared/hooks shared/h"):
            self.assertNotIn(self.inside(command, expect=None).returncode, (0, 125), command)

    def test_a_git_entry_that_is_a_link(self):
        self.host("sh", "-c", "mkdir store; mv .git store/git; ln -s store/git .git")
        self.inside("GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b "
                    "git commit -q --allow-empty -m two")
        for command in ("rm .git", "mv .git g", "mv store s", "echo x > store/git/hooks/a", "echo x >> .git/config"):
            self.assertNotIn(self.inside(command, expect=None).returncode, (0, 125), command)

    def test_nothing_stands_in_for_what_is_reserved(self):
        """A run shows in .git by nothing: neither while it lives, nor after its sbx was killed."""
        before = sorted(os.listdir(self.path(".git")))
        process = self.start(self.program, "run", "--", "sh", "-c", "echo ready; read end", stdin=subprocess.PIPE)
        self.assertEqual(process.stdout.readline(), "ready\n")
        self.assertEqual(sorted(os.listdir(self.path(".git"))), before)
        process.kill()
        process.communicate()
        self.assertEqual(sorted(os.listdir(self.path(".git"))), before)

    def test_a_reserved_name_ends_the_run(self):
        """commondir leads git to another configuration. It is gone, and the command too, as soon as it is there."""
        makers = ("echo evil > .git/commondir", "mkdir -p evil && ln -s ../evil .git/commondir", "mkdir .git/commondir",
                  "echo evil > x && mv x .git/commondir", "echo evil > .git/x && ln .git/x .git/commondir",
                  "echo evil > .git/x && mv .git/x .git/commondir", "mkdir -p .git/commondir/a/b && echo > .git/commondir/a/c",
                  "mkdir -p d/e && mv d .git/commondir")
        for maker in makers:
            process = self.start(self.program, "run", "--", "sh", "-c",
                                 f"mkdir -p evil; echo ready; {maker}; exec tail -f /dev/null", stdin=subprocess.DEVNULL)
            _, err = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 125, err)
            self.assertIn(".git/commondir", err, maker)
            self.assertFalse(os.path.lexists(self.path(".git/commondir")), maker)
            self.host("git", "status")

    def test_a_reserved_name_taken_last_is_removed(self):
        """The command ends at once; so does one that is killed with its sbx."""
        for _ in range(20):
            result = self.inside("echo evil > .git/commondir", expect=None)
            self.assertIn(".git/commondir", result.err)
            self.assertFalse(os.path.lexists(self.path(".git/commondir")))
        for mode in ("off", "report"):
            policy = self.made("policy-" + mode)
            with open(policy + "/p.toml", "w", encoding="utf-8") as file:
                file.write(f'[guards]\nhandover = "{mode}"\n')
            self.inside("echo evil > .git/commondir", expect=None, flags=("--policy", policy + "/p.toml"))
            self.assertFalse(os.path.lexists(self.path(".git/commondir")))

    def test_a_racing_maker_gains_nothing(self):
        """Made and removed again and again while the host looks: nothing is left, and the run ends."""
        script = ("import os\nprint('ready', flush=True)\nwhile True:\n try:\n  os.close(os.open('.git/commondir', "
                  "os.O_CREAT | os.O_WRONLY)); os.unlink('.git/commondir')\n except OSError: pass\n")
        process = self.start(self.program, "run", "--", "python3", "-c", script, stdin=subprocess.DEVNULL)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 125, err)
        self.assertFalse(os.path.lexists(self.path(".git/commondir")))

    def test_swapped_links_during_the_start(self):
        """The class of CVE-2026-87766: what sbx checked is a link to somewhere else a moment later."""
        victim = self.made("victim")
        os.makedirs(self.path("sub/.git/objects"))
        for name, text in (("HEAD", "ref: refs/heads/x\n"), ("config", "[core]\n\tbare = false\n")):
            self.write("sub/.git", name, content=text)
        self.host("sh", "-c", "mkdir -p sub/.git/hooks")
        os.symlink(f"/oldroot{victim}", self.path("link"))
        os.symlink(victim, self.path("link2"))
        stop = threading.Event()
        rounds = [0]

        def swap():
            # A hostile run with a wider view of the same folder could do this.
            while not stop.is_set():
                for link in ("link", "link2"):
                    try:
                        os.rename(self.path("sub/.git"), self.path("aside"))
                        os.rename(self.path(link), self.path("sub/.git"))
                        os.rename(self.path("sub/.git"), self.path(link))
                        os.rename(self.path("aside"), self.path("sub/.git"))
                        rounds[0] += 1
                    except OSError:
                        pass

        thread = threading.Thread(target=swap)
        thread.start()
        try:
            runs = 0
            while runs < 100 or rounds[0] < 2000:
                runs += 1
                self.inside("echo x > .git/hooks/planted; echo x > .git/planted", cwd=self.path("sub"), expect=None)
                self.assertEqual(os.listdir(victim), [])
        finally:
            stop.set()
            thread.join()


for_every_user(globals())

if __name__ == "__main__":
    unittest.main()
