"""Each limit is hit by a program; the run ends as promised, sbx survives and says which limit it was."""
import os
import time
import unittest

import sandbox
from sandbox import both


@both
class Timeout(sandbox.Case):
    def test_term_ends_it(self):
        result = self.inside('sleep', '1000', flags=['--timeout', '1s'])
        self.assertEqual(result.returncode, 124)
        self.assertIn(b'limits.timeout', result.stderr)

    def test_as_a_key(self):
        self.write('p.toml', '[limits]\ntimeout = "1s"\n')
        result = self.inside('sleep', '1000', flags=['--policy', 'p.toml'])
        self.assertEqual(result.returncode, 124, result.stderr)

    def test_a_trap_runs(self):
        result = self.shell('trap "echo cleaned; exit 0" TERM; while :; do sleep 0.05; done', flags=['--timeout', '1s'])
        self.assertEqual((result.returncode, result.stdout), (124, b'cleaned\n'))

    # P134
    def test_an_ignored_TERM_is_followed_by_KILL(self):
        begun = time.monotonic()
        result = self.shell('trap "" TERM; while :; do sleep 0.05; done', flags=['--timeout', '1s'])
        self.assertEqual(result.returncode, 124)
        self.assertLess(time.monotonic() - begun, 60)

    def test_a_stopped_command_does_not_outlast_it(self):
        result = self.shell('kill -STOP $$', flags=['--timeout', '1s'])
        self.assertEqual(result.returncode, 124)

    def test_in_time(self):
        self.assertEqual(self.shell('exit 3', flags=['--timeout', '1h']).returncode, 3)

    def test_a_background_process_does_not_prolong(self):
        self.assertEqual(self.shell('sleep 1000 & exit 2', flags=['--timeout', '1h']).returncode, 2)


@both
class Memory(sandbox.Case):
    EAT = 'import sys; a = bytearray(int(sys.argv[1]) << 20); a[::4096] = b"x" * len(a[::4096]); print("ate")'

    # T45
    def test_hit(self):
        self.assertEqual(self.ok(self.inside('python3', '-c', self.EAT, '300')), b'ate\n')
        result = self.inside('python3', '-c', self.EAT, '300', flags=['--memory', '200M'])
        self.assertNotEqual(result.returncode, 0)
        self.assertNotIn(b'ate', result.stdout)
        self.assertEqual(self.ok(self.inside('python3', '-c', self.EAT, '100', flags=['--memory', '200M'])), b'ate\n')

    def test_as_a_key(self):
        self.write('p.toml', '[limits]\nmemory = "200M"\n')
        result = self.inside('python3', '-c', self.EAT, '300', flags=['--policy', 'p.toml'])
        self.assertNotIn(b'ate', result.stdout)

    def test_runtimes_start_under_a_gibibyte(self):
        for command in (['node', '-e', 'console.log(6*7)'], ['java', '-version'], ['go', 'version'], ['python3', '-c', 'print(42)']):
            if self.call('sh', '-c', 'command -v ' + command[0]).returncode == 0:
                self.ok(self.inside(*command, flags=['--memory', '1G']))

    def test_sbx_itself_goes_on(self):
        """It reports although the command used up everything there was."""
        result = self.shell('python3 -c "%s" 2000; exit 9' % 'a=[bytearray(1<<20) for _ in range(2000)]', flags=['--memory', '150M'])
        self.assertIn(result.returncode, (9, -9, 137), result.stderr)


@both
class Others(sandbox.Case):
    FORK = r'''
import os, sys, time
made = 0
try:
    for _ in range(200):
        if os.fork() == 0:
            time.sleep(100)
        made += 1
except OSError as error:
    print("stopped", made, error.errno, flush=True)
else:
    print("all", flush=True)
'''

    def test_processes(self):
        self.assertEqual(self.ok(self.inside('python3', '-c', self.FORK)), b'all\n')
        result = self.inside('python3', '-c', self.FORK, flags=['--processes', '50'])
        if result.returncode == 125:
            self.assertIn(b'processes', result.stderr)  # not possible here: an error that says so
            self.skipTest(result.stderr.decode())
        word, made, number = self.ok(result).split()
        self.assertEqual((word, number), (b'stopped', b'11'))
        self.assertLess(int(made), 50)
        self.assertGreater(int(made), 30, 'only what runs inside is counted')

    def test_two_runs_do_not_share_processes(self):
        result = self.inside('true', flags=['--processes', '50'])
        if result.returncode == 125:
            self.skipTest(result.stderr.decode())
        hold, release = os.pipe()
        busy = self.start_inside('sh', '-c', 'for n in $(seq 30); do sleep 1000 & done; echo up; read x', flags=['--processes', '50'], stdin=hold)
        os.close(hold)
        self.line_of(busy, 'up')
        self.ok(self.shell('for n in $(seq 30); do sleep 0 & done; wait', flags=['--processes', '50']))
        os.close(release)
        busy.wait(60)

    # P100
    def test_file_size(self):
        self.write('p.toml', '[limits]\nfileSize = "1M"\n')
        for flags in (['--file-size', '1M'], ['--policy', 'p.toml']):
            result = self.inside('dd', 'if=/dev/zero', 'of=big', 'bs=64k', 'count=100', flags=flags)
            self.assertEqual(result.returncode, -25, result.stderr)  # SIGXFSZ
            self.assertIn(b'limits.fileSize', result.stderr)
            self.assertEqual(os.path.getsize(os.path.join(self.project, 'big')), 1 << 20)
            os.unlink(os.path.join(self.project, 'big'))
        self.ok(self.inside('dd', 'if=/dev/zero', 'of=big', 'bs=64k', 'count=16', flags=['--file-size', '1M']))

    def test_open_files(self):
        code = 'import os\ntry:\n  for n in range(500): os.dup(0)\nexcept OSError as e: print("stopped", n + 3, e.errno)'
        word, count, number = self.ok(self.inside('python3', '-c', code, flags=['--open-files', '100'])).split()
        self.assertEqual((word, number), (b'stopped', b'24'))
        self.assertLessEqual(int(count), 100)
        self.assertEqual(self.ok(self.shell('ulimit -n', flags=['--open-files', '100'])), b'100\n')

    def test_a_limit_only_tightens(self):
        out = self.ok(self.call('sh', '-c', 'ulimit -n 60; exec "$0" run --open-files 5000 -- sh -c "ulimit -n"', self.sbx))
        self.assertEqual(out, b'60\n')

    def test_cpus(self):
        """One processor for two busy processes: by a control group, or by binding them where there is none."""
        code = r'''
import os, time
begun = time.monotonic()
child = os.fork()
while time.process_time() < 0.6: pass
if child == 0: os._exit(0)
os.wait()
print(time.monotonic() - begun)
'''
        self.assertGreater(float(self.ok(self.inside('python3', '-c', code, flags=['--cpus', '1']))), 1.1)

    def test_none_by_default(self):
        for flag in ('-n', '-f', '-d', '-v', '-s', '-t'):
            self.assertEqual(self.ok(self.shell('ulimit ' + flag)), self.call('sh', '-c', 'ulimit ' + flag).stdout)

    def test_limits_that_nobody_counts(self):
        """The kernel does not tell of a refused descriptor: sbx says which limits there were when the command failed."""
        code = 'import os; [os.dup(0) for _ in range(500)]'
        flags = ['--open-files', '100']
        failed = self.inside('python3', '-c', code, flags=flags)
        self.assertEqual(failed.returncode, 1)
        self.assertIn(b'whether it reached one): limits.openFiles\n', failed.stderr)
        self.assertNotIn(b'limits.', self.inside('false', flags=[*flags, '--quiet']).stderr)
        self.assertNotIn(b'limits.', self.inside('true', flags=flags).stderr)
        self.assertNotIn(b'limits.', self.inside('false').stderr)
        # dd dies of SIGXFSZ; the shell above it only tells of a status.
        failed = self.shell('dd if=/dev/zero of=big bs=1M count=3', flags=['--file-size', '1M'])
        self.assertNotEqual(failed.returncode, 0)
        self.assertIn(b'limits.fileSize', failed.stderr)

    def test_processes_says_so(self):
        result = self.inside('python3', '-c', self.FORK + 'sys.exit(7)', flags=['--processes', '50'])
        if result.returncode == 7 and not self.as_user and os.geteuid() == 0:
            self.assertIn(b'the limit was reached: limits.processes', result.stderr)

    def test_wrong_values(self):
        for flags in (['--timeout', '-1'], ['--timeout', 'soon'], ['--memory', '1X'], ['--memory', '0'], ['--processes', 'x'],
                      ['--cpus', '-3'], ['--file-size', '9999999999999999999G'], ['--open-files', '1.5']):
            result = self.inside('touch', 'started', flags=flags)
            self.assertEqual(result.returncode, 125, flags)
            self.assertIn(b'error', result.stderr.lower() + b'sbx: error', flags)
        self.assertEqual(os.listdir(self.project), [])


if __name__ == '__main__':
    sandbox.main()
