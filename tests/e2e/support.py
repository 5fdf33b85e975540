"""Shared by the end-to-end tests: a project folder, sbx in it, as the caller and as an ordinary user."""
import os
import pwd
import shutil
import subprocess
import tempfile
import unittest

ORDINARY = 65534 if os.geteuid() == 0 else os.geteuid()


def users():
    """The uids to test with: the caller's and, for root, an ordinary one."""
    return sorted({os.geteuid(), ORDINARY})


class Case(unittest.TestCase):
    """`self.folder` is an empty folder of `self.uid`; `self.sbx(...)` runs sbx as that user."""

    uid = os.geteuid()

    def setUp(self):
        # Not below /tmp: that is private inside.
        self.base = tempfile.mkdtemp(prefix="sbx-e2e-", dir="/var/tmp")
        self.addCleanup(shutil.rmtree, self.base, ignore_errors=True)
        os.chmod(self.base, 0o755)
        self.program = os.path.join(self.base, "sbx")
        shutil.copy(os.environ["SBX"], self.program)
        os.chmod(self.program, 0o755)
        self.home = self.made("home")
        self.folder = self.made("project")

    def made(self, name):
        path = os.path.join(self.base, name)
        os.makedirs(path)
        os.chown(path, self.uid, self.uid)
        return path

    def environment(self):
        return {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": self.home, "USER": "someone", "LC_ALL": "C",
                "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a",
                "GIT_COMMITTER_EMAIL": "a@b", "GIT_CONFIG_NOSYSTEM": "1"}

    def as_user(self):
        if self.uid == os.geteuid():
            return {}
        return {"user": self.uid, "group": self.uid, "extra_groups": []}

    def start(self, *command, cwd=None, **more):
        more = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL, "text": True,
                "env": self.environment(), "cwd": cwd or self.folder, **self.as_user(), **more}
        return subprocess.Popen(command, **more)

    def host(self, *command, cwd=None, check=True):
        process = self.start(*command, cwd=cwd)
        out, err = process.communicate(timeout=120)
        if check and process.returncode != 0:
            self.fail(f"{command} on the host: {process.returncode}: {out}{err}")
        process.out, process.err = out, err
        return process

    def sbx(self, *words, cwd=None, expect=None, environment=None):
        env = {**self.environment(), **(environment or {})}
        process = self.start(self.program, *words, cwd=cwd, env=env)
        process.out, process.err = process.communicate(timeout=120)
        if expect is not None:
            self.assertEqual(process.returncode, expect, f"{words}: {process.out}{process.err}")
        return process

    def inside(self, script, cwd=None, expect=0, flags=()):
        """Runs a shell script in the sandbox."""
        return self.sbx("run", *flags, "--", "sh", "-c", script, cwd=cwd, expect=expect)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def read(self, *names):
        with open(self.path(*names), encoding="utf-8") as file:
            return file.read()

    def write(self, *names, content="", mode=0o644):
        path = self.path(*names)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
        os.chmod(path, mode)
        at = path
        while at != self.folder and at.startswith(self.base):
            os.chown(at, self.uid, self.uid)
            at = os.path.dirname(at)
        return path


def for_every_user(module):
    """Makes a copy of each test class for each user; `module` is globals()."""
    for name, value in list(module.items()):
        if isinstance(value, type) and issubclass(value, Case) and value is not Case:
            del module[name]
            for uid in users():
                module[f"{name}_{uid}"] = type(f"{name}_{uid}", (value,), {"uid": uid})
