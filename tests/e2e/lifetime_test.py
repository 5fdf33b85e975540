"""Nothing outlives the run, and the run ends when the command does."""
import os
import random
import unittest

import sandbox
from sandbox import both


@both
class Lifetime(sandbox.Case):
    def setUp(self):
        super().setUp()
        self.mark = '94%d%05d' % (os.getpid(), random.randrange(100000))

    def gone(self):
        self.wait_for(lambda: not self.processes(self.mark), 'the end of everything')

    def test_background_children(self):
        self.ok(self.shell('sleep %s & exit 5' % self.mark), status=5)
        self.gone()

    def test_daemons_and_double_forks(self):
        script = ('trap "" HUP TERM INT; nohup sleep %s >/dev/null 2>&1 & setsid sleep %s & '
                  '(setsid sh -c "trap \'\' TERM; sleep %s & sleep %s" &) & exit 0' % ((self.mark,) * 4))
        self.ok(self.shell(script))
        self.gone()

    def test_a_daemon_that_holds_the_output(self):
        """The reader of the output sees its end when the run ends, not when the daemon would."""
        process = self.start_inside('sh', '-c', 'setsid sleep %s & echo out; exit 3' % self.mark)
        self.assertEqual(process.stdout.read(), b'out\n')
        self.assertEqual(process.wait(60), 3)
        self.gone()

    def test_a_python_daemon(self):
        code = r'''
import os, sys, time
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
os.closerange(0, 100)
os.execlp("sleep", "sleep", sys.argv[1])
'''
        self.ok(self.inside('python3', '-c', code, self.mark))
        self.gone()

    def test_a_fork_storm(self):
        """Processes that fork as fast as they can cannot outrun the end."""
        code = r'''
import os, sys, time
for _ in range(6):
    os.fork()
end = time.monotonic() + 0.3
while time.monotonic() < end:
    if os.fork():
        os._exit(0)
os.execlp("sleep", "sleep", sys.argv[1])
'''
        self.ok(self.inside('python3', '-c', code, self.mark))
        self.gone()

    def test_zombies_are_reaped(self):
        script = ('for n in $(seq 50); do (true &) ; done; '
                  'while ps -e -o stat= 2>/dev/null | grep -q Z; do :; done; echo clean')
        self.needs('ps')
        self.assertEqual(self.ok(self.shell(script)), b'clean\n')

    def test_files_and_sockets_outside_are_as_before(self):
        before = {path: sorted(os.listdir(path)) for path in (self.home, '/dev/shm')}
        self.ok(self.shell('echo x >"$HOME/x"; echo x >/dev/shm/%s; echo x >/tmp/%s; mkdir -p "$HOME/.config/d"' % (self.mark, self.mark)))
        self.assertEqual(sorted(os.listdir(self.home)), before[self.home])
        self.assertNotIn(self.mark, os.listdir('/dev/shm'))
        self.assertNotIn(self.mark, os.listdir('/tmp'))

    def test_a_hundred_at_once(self):
        """All correct, nothing left; also in one git worktree, where guards are placed and removed."""
        self.git('init', '-q')
        self.git('commit', '-q', '--allow-empty', '-m', 'first')
        processes = [self.start_inside('sh', '-c', 'git status --porcelain; exit %d' % (n % 100)) for n in range(100)]
        for n, process in enumerate(processes):
            out, err = process.communicate(timeout=120)
            self.assertEqual((process.returncode, out, err), (n % 100, b'', b''))
        self.assertEqual(self.ok(self.call('git', 'status', '--porcelain', '--ignored')), b'')


if __name__ == '__main__':
    sandbox.main()
