#!/usr/bin/env python3
"""Linked worktrees and submodules work inside, and their pointers cannot be re-aimed (P78, issue 4)."""
import os
import unittest

from support import Case, for_every_user

WORK = """set -e
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
git status --short
echo two > two; git add two; git commit -q -m two
git diff HEAD~1 --stat | grep -q two
git branch topic; git branch -D topic
echo x >> file; git stash -q; git stash pop -q; git checkout -q -- file
git checkout -q -b side; echo s > s; git add s; git commit -q -m side
git checkout -q "$1"
git cherry-pick side >/dev/null
echo r > r; git add r; git commit -q -m r
git checkout -q side; git rebase -q "$1"; git checkout -q "$1"
git gc -q
git fsck --no-progress >/dev/null 2>&1
"""


class Worktrees(Case):
    def setUp(self):
        super().setUp()
        self.main = self.made("main")
        self.sub = self.made("library")
        for repository in (self.main, self.sub):
            self.host("git", "init", "-q", "-b", "trunk", cwd=repository)
            self.host("sh", "-c", "echo one > file; git add file; git commit -q -m one", cwd=repository)
        self.host("git", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", self.sub, "libs/sub",
                  cwd=self.main)
        self.host("git", "commit", "-q", "-m", "submodule", cwd=self.main)
        self.linked = os.path.join(self.base, "linked")
        self.other = os.path.join(self.base, "other")
        for path, branch in ((self.linked, "linked"), (self.other, "other")):
            os.makedirs(path)
            os.chown(path, self.uid, self.uid)
            self.host("git", "worktree", "add", "-q", "-b", branch, path, cwd=self.main)

    def work(self, cwd, branch):
        process = self.sbx("run", "--", "sh", "-c", WORK, "sh", branch, cwd=cwd)
        self.assertEqual(process.returncode, 0, process.out + process.err)
        # The host sees one sound repository.
        self.host("git", "fsck", "--no-progress", cwd=cwd)
        self.assertEqual(self.host("git", "status", "--short", cwd=cwd).out, "")
        self.assertIn("side", self.host("git", "log", "--format=%s", cwd=cwd).out)

    def test_linked_worktree(self):
        self.work(self.linked, "linked")
        self.assertEqual(len(self.host("git", "worktree", "list", cwd=self.main).out.splitlines()), 3)

    def test_main_worktree_with_submodule_and_linked_ones(self):
        self.work(self.main, "trunk")
        self.assertEqual(len(self.host("git", "worktree", "list", cwd=self.main).out.splitlines()), 3)

    def test_inside_a_submodule(self):
        self.work(os.path.join(self.main, "libs/sub"), "trunk")

    def test_linked_worktree_with_its_own_submodule(self):
        self.host("git", "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init",
                  cwd=self.linked)
        self.work(self.linked, "linked")
        self.host("git", "checkout", "-q", "-B", "trunk", cwd=os.path.join(self.linked, "libs/sub"))
        self.work(os.path.join(self.linked, "libs/sub"), "trunk")

    def refused(self, cwd, commands):
        for command in commands:
            process = self.inside(command, cwd=cwd, expect=None)
            if "commondir" in command and "it is removed, and the run has ended" in process.err:
                self.assertEqual(process.returncode, 125)
                self.assertFalse(os.path.exists(os.path.join(cwd, command.split()[-1])), command)
                continue
            self.assertNotIn(process.returncode, (0, 125), f"{command}: {process.out}{process.err}")

    def test_pointers_cannot_be_re_aimed(self):
        common = os.path.join(self.main, ".git")
        own = os.path.join(common, "worktrees/linked")
        others = os.path.join(common, "worktrees/other")
        self.refused(self.linked, [
            f"echo {self.base} > .git", "rm -f .git", "mv .git .git2", "ln -f .git other && echo x > other",
            f"echo ../../.. > {own}/commondir", f"rm -f {own}/commondir", f"mv {own} {own}2",
            f"echo x > {own}/gitdir", f"mv {common}/worktrees {common}/w2",
            f"echo x > {common}/commondir",
            f"echo x >> {common}/config", f"echo x > {common}/hooks/pre-commit",
            f"echo x > {others}/commondir", f"rm -rf {others}",
            f"echo x > {common}/modules/libs/sub/hooks/x", f"echo x >> {common}/modules/libs/sub/config",
            f"echo . > {common}/modules/libs/sub/commondir",
        ])
        self.refused(self.main, [
            f"echo x > {own}/commondir", f"mv .git/worktrees .git/w2", "echo x > .git/commondir",
            "mv .git/modules/libs .git/modules/libs2", "echo x >> .git/modules/libs/sub/config",
        ])

    def test_configuration_of_one_worktree(self):
        self.host("git", "config", "extensions.worktreeConfig", "true", cwd=self.main)
        own = os.path.join(self.main, ".git/worktrees/linked")
        self.refused(self.linked, [f"echo x > {own}/config.worktree", f"rm {own}/config.worktree",
                                   f"echo x > {self.main}/.git/config.worktree"])
        self.assertFalse(os.path.exists(os.path.join(own, "config.worktree")))

    def test_a_planted_pointer_gains_nothing(self):
        victim = self.made("victim")
        self.host("git", "init", "-q", cwd=victim)
        for name, text in (("file", f"gitdir: {victim}/.git\n"), ("link", None)):
            planted = self.made(f"planted-{name}")
            if text is None:
                os.symlink(f"{victim}/.git", os.path.join(planted, ".git"))
            else:
                with open(os.path.join(planted, ".git"), "w", encoding="utf-8") as file:
                    file.write(text)
            self.inside(f"echo x > {victim}/.git/planted || true", cwd=planted, expect=None)
            self.assertFalse(os.path.exists(os.path.join(victim, ".git/planted")), name)


for_every_user(globals())

if __name__ == "__main__":
    unittest.main()
