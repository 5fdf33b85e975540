"""bwrap starts before the policy is read. Nothing of that may show, also when nothing comes of the run."""
import ctypes
import os
import resource
import signal
import subprocess
import time
import unittest

import sandbox
from sandbox import both

PR_SET_CHILD_SUBREAPER = 36
MANUAL = ('--mode', 'manual')


@both
class EarlyStart(sandbox.Case):
    def setUp(self):
        super().setUp()
        # Whatever sbx leaves behind becomes a child of this process.
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self.addCleanup(ctypes.CDLL(None).prctl, PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
        self.before = set(self.children(os.getpid()))  # guardians of earlier runs

    def nothing_left(self):
        self.assertEqual(set(self.children(os.getpid())) - self.before, set())

    def gone(self, pid):
        def ended():
            try:
                return os.waitpid(pid, os.WNOHANG)[0] == pid
            except ChildProcessError:  # not yet this process's, or sbx has waited for it
                return not os.path.exists('/proc/%d' % pid)
        self.wait_for(ended, 'the end of bwrap')

    @staticmethod
    def children(pid):
        with open('/proc/%d/task/%d/children' % (pid, pid)) as file:
            return [int(child) for child in file.read().split()]

    def policy(self, text):
        path = os.path.join(self.home, 'policy.toml')
        with open(path, 'w') as file:
            file.write(text)
        self.own()
        return path

    def test_a_policy_that_is_wrong(self):
        process = self.inside('true', flags=('--policy', self.policy('[sandbox]\nnetwrok = "off"\n')))
        self.assertEqual(process.returncode, 125)
        self.nothing_left()

    def test_no_sandbox_after_all(self):
        policy = self.policy('[sandbox]\nbackend = "native"\n')
        process = self.inside('sh', '-c', 'cat /proc/$$/task/$$/children; echo done', flags=('--policy', policy))
        # cat itself is the only child.
        self.assertRegex(process.stdout.decode(), r'^\d+ done\n$')

    def waiting(self, session):
        session.expect('start it')
        return self.wait_for(lambda: self.children(session.pid), 'bwrap')[0]

    def test_killed_before_the_answer(self):
        session = self.on_terminal(self.sbx, 'run', *MANUAL, '--', 'true')
        bwrap = self.waiting(session)
        os.kill(session.pid, signal.SIGKILL)
        self.gone(bwrap)

    def test_interrupted_before_the_answer(self):
        session = self.on_terminal(self.sbx, 'run', *MANUAL, '--', 'true')
        bwrap = self.waiting(session)
        session.send('\x03')
        self.assertEqual(session.wait(), -signal.SIGINT)
        self.gone(bwrap)

    def test_refused(self):
        session = self.on_terminal(self.sbx, 'run', *MANUAL, '--', 'true')
        self.waiting(session)
        session.send('n\n')
        self.assertEqual(session.wait(), 125)
        self.nothing_left()

    def test_descriptors_that_only_sbx_has(self):
        """An argument that names one of sbx's own pipes is not a process substitution."""
        names = ['/dev/fd/%d' % number for number in range(3, 64)]
        process = self.inside('sh', '-c', 'ls /proc/self/fd | tr "\\n" " "', *names)
        self.assertEqual(process.stdout, b'0 1 2 3 ')  # 3 is ls's own

    def test_processors(self):
        """bwrap is kept off sbx's processor while it loads; the command gets what the caller has."""
        code = 'import os; print(sorted(os.sched_getaffinity(0)))'
        mine = os.sched_getaffinity(0)
        for allowed in (mine, {min(mine)}, {max(mine)}):
            process = self.inside('python3', '-c', code, preexec_fn=lambda: os.sched_setaffinity(0, allowed),
                                  env=self.environment(PATH='/usr/bin:/bin'))
            self.assertEqual(process.stdout.decode().strip(), str(sorted(allowed)))

    @unittest.skipUnless(os.uname().machine == 'x86_64', 'where CPUID does not trap nothing is gained')
    def test_bwrap_starts_before_the_c_library(self):
        self.needs('strace')
        trace = os.path.join(self.home, 'trace')
        self.ok(self.call('strace', '-qq', '-o', trace, '-e', 'trace=clone,brk,arch_prctl', self.sbx, 'run', '--', 'true'))
        with open(trace) as file:
            self.assertTrue(file.readline().startswith('clone('))

    def test_other_words_start_nothing(self):
        for words in (['run', '--no-such-flag'], ['run', '--'], ['run', '--policy', '/none', '--', 'true'],
                      ['run', '--profile', 'none', '--', 'true'], ['check'], ['--version']):
            with self.subTest(words):
                self.run_sbx(*words)
                self.nothing_left()

    def test_what_the_callers_state_may_be(self):
        """Nothing of what runs before everything else depends on the usual surroundings."""
        show = 'ls /proc/self/fd | tr "\\n" " "; ulimit -n'
        high = os.open('/dev/null', os.O_RDONLY)
        self.addCleanup(os.close, high)

        def limit(number):
            return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (number, number))

        def descriptor_at(number):
            def make():
                os.dup2(high, number)
                os.set_inheritable(number, True)
            return make

        for name, prepare in (('few', limit(64)), ('just enough', limit(266)), ('none to spare', limit(256)),
                              ('one in the way', descriptor_at(256)), ('many', lambda: os.closerange(3, 3) or
                               [descriptor_at(number)() for number in range(250, 300)])):
            with self.subTest(name):
                process = self.inside('sh', '-c', show, preexec_fn=prepare, close_fds=False)
                self.ok(process)
                self.assertTrue(process.stdout.startswith(b'0 1 2 3 '), process.stdout)
        process = self.inside('readlink', '/proc/self/fd/300', flags=('--keep-fd', '300'), preexec_fn=descriptor_at(300),
                              close_fds=False)
        self.ok(process)
        process = self.call('sh', '-c', 'exec "$0" run -- sh -c "echo fine >&2" <&- >&-', self.sbx)
        self.assertEqual((process.returncode, process.stderr), (0, b'fine\n'))

    def test_an_interrupt_of_the_group_at_any_moment(self):
        """It meets bwrap before its first step, too: the run ends as interrupted, not as failed."""
        for step in range(100):
            run = self.start_inside('sleep', '3600', start_new_session=True)
            moment = time.perf_counter() + step * 0.00006
            while time.perf_counter() < moment:
                pass
            os.killpg(run.pid, signal.SIGINT)
            self.assertEqual(run.wait(timeout=60), -signal.SIGINT, step)

    def test_a_process_substitution_still_works(self):
        process = self.call('bash', '-c', '"$0" run -- cat <(echo one) <(echo two)', self.sbx,
                            stdout=subprocess.PIPE)
        self.assertEqual(process.stdout, b'one\ntwo\n')


if __name__ == '__main__':
    sandbox.main()
