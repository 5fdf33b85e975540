"""What the end-to-end tests share: temporary places, the executable, running it as root and as a user.

Every test case runs once as the caller and, when that is root, once more as an ordinary user.
"""
import glob
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import terminal

SBX = os.path.abspath(os.environ.get('SBX', 'sbx'))
NOBODY = 65534
PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'


class Case(unittest.TestCase):
    """A home, a project below it, and a copy of sbx that the user of this case can run."""

    as_user = False

    PATIENCE = 120  # seconds for one test, on a busy machine

    def setUp(self):
        signal.signal(signal.SIGALRM, self.too_late)
        signal.alarm(self.PATIENCE)
        self.addCleanup(signal.alarm, 0)
        self.base = tempfile.mkdtemp(prefix='sbx-e2e.', dir='/var/tmp')
        self.addCleanup(shutil.rmtree, self.base, ignore_errors=True)
        os.chmod(self.base, 0o755)
        self.sbx = os.path.join(self.base, 'bin', 'sbx')
        os.mkdir(os.path.dirname(self.sbx))
        shutil.copy(SBX, self.sbx)
        self.home = os.path.join(self.base, 'home')
        self.project = os.path.join(self.home, 'project')
        os.makedirs(self.project)
        self.own()

    @staticmethod
    def too_late(_number, _frame):
        raise AssertionError('nothing happened for too long')

    def own(self):
        """Hands everything below the home to the user of this case."""
        if not self.as_user:
            return
        for at, directories, files in os.walk(self.home):
            for name in [at] + [os.path.join(at, name) for name in directories + files]:
                os.chown(name, NOBODY, NOBODY, follow_symlinks=False)

    def environment(self, **more):
        env = {'PATH': PATH, 'HOME': self.home, 'USER': 'dev', 'LANG': 'C.UTF-8',
               'GIT_CONFIG_NOSYSTEM': '1', 'GIT_AUTHOR_NAME': 'Dev', 'GIT_AUTHOR_EMAIL': 'dev@example.invalid',
               'GIT_COMMITTER_NAME': 'Dev', 'GIT_COMMITTER_EMAIL': 'dev@example.invalid'}
        env.update(more)
        return env

    def identity(self):
        return {'user': NOBODY, 'group': NOBODY, 'extra_groups': []} if self.as_user else {}

    def live_files(self):
        """What sbx keeps of live runs that concern this case."""
        uid = NOBODY if self.as_user else os.geteuid()
        places = ['/run/user/%d/sbx' % uid] + glob.glob('/tmp/sbx-%d*' % uid)
        found = []
        for name in [name for place in places for name in glob.glob(place + '/*-*')]:
            try:
                with open(name, 'rb') as file:
                    if self.base.encode() in file.read():
                        found.append(name)
            except OSError:
                pass  # gone by now, or a folder
        return found

    def call(self, *words, cwd=None, env=None, stdin=subprocess.DEVNULL, timeout=120, **more):
        """Runs a command on the host as the user of this case."""
        more = {'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE, **self.identity(), **more}
        if 'input' not in more:
            more['stdin'] = stdin
        return subprocess.run(words, cwd=cwd or self.project, env=self.environment() if env is None else env,
                              timeout=timeout, **more)

    def run_sbx(self, *words, **more):
        return self.call(self.sbx, *words, **more)

    def inside(self, *words, flags=(), **more):
        return self.call(self.sbx, 'run', *flags, '--', *words, **more)

    def start(self, *words, cwd=None, env=None, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
              stderr=subprocess.PIPE, **more):
        """Starts a command on the host as the user of this case; the test waits for its end."""
        process = subprocess.Popen(words, cwd=cwd or self.project, env=self.environment() if env is None else env,
                                   stdin=stdin, stdout=stdout, stderr=stderr, **{**self.identity(), **more})
        self.addCleanup(self.finish, process)
        return process

    def start_inside(self, *words, flags=(), **more):
        return self.start(self.sbx, 'run', *flags, '--', *words, **more)

    @staticmethod
    def finish(process):
        if process.poll() is None:
            process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream:
                stream.close()

    def on_terminal(self, *words, cwd=None, env=None, **more):
        """Starts a command on a terminal of its own."""
        def become(name):
            if self.as_user:
                os.chown(name, NOBODY, NOBODY)
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)
        env = {**(self.environment() if env is None else env), 'TERM': 'xterm-256color'}
        session = terminal.Terminal(words, cwd or self.project, env, become=become, **more)
        self.addCleanup(session.close)
        return session

    def wait_for(self, test, what, patience=60):
        """Waits for an event outside; what is said when it never comes."""
        end = time.monotonic() + patience
        while True:
            value = test()
            if value:
                return value
            if time.monotonic() > end:
                self.fail('never came: ' + what)
            time.sleep(0.01)

    def line_of(self, process, text):
        """Reads the process's output up to a line that starts with text; returns the rest of that line."""
        want = text.encode()
        while True:
            line = process.stdout.readline()
            if not line:
                self.fail('ended without printing %r: %r' % (text, process.stderr.read() if process.stderr else ''))
            if line.startswith(want):
                return line[len(want):].strip().decode()

    def processes(self, mark):
        """The pids of the host whose command line holds mark, zombies left out."""
        found = []
        for pid in filter(str.isdigit, os.listdir('/proc')):
            try:
                with open('/proc/%s/cmdline' % pid, 'rb') as file:
                    words = file.read()
                if mark.encode() in words and int(pid) != os.getpid():
                    found.append(int(pid))
            except OSError:
                pass
        return found

    def shell(self, script, **more):
        return self.inside('sh', '-c', script, **more)

    def ok(self, result, status=0):
        self.assertEqual(result.returncode, status, ((result.stdout or b'')[-2000:], (result.stderr or b'')[-2000:]))
        return result.stdout

    def git(self, *words, cwd=None):
        self.ok(self.call('git', '-c', 'init.defaultBranch=main', *words, cwd=cwd))

    def write(self, name, text='', mode=0o644):
        path = os.path.join(self.project, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb') as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        os.chmod(path, mode)
        self.own()
        return path

    def needs(self, *commands):
        missing = [name for name in commands if not shutil.which(name, path=PATH)]
        if missing:
            self.skipTest('not installed: ' + ' '.join(missing))


def both(case):
    """Class decorator: adds a second class that runs the same tests as an ordinary user."""
    if os.geteuid() == 0:
        name = case.__name__ + 'AsUser'
        module = sys.modules[case.__module__]
        setattr(module, name, type(name, (case,), {'as_user': True, '__module__': case.__module__}))
    return case


def main():
    unittest.main(verbosity=1)
