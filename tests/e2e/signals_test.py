"""Signals reach the command as they would without sbx: once, in its own hands, with the caller's dispositions."""
import itertools
import os
import random
import signal
import sys
import unittest

import sandbox
from sandbox import both

# Prints a line for every signal that arrives; a line on stdin ends it with a count of them all.
COUNTER = r'''
import collections, os, signal, sys
counts = collections.Counter()
def note(number, frame):
    counts[number] += 1
    os.write(1, b"got %d\n" % number)
for name in "TERM HUP INT QUIT USR1 USR2 WINCH CONT TSTP ALRM".split():
    signal.signal(getattr(signal, "SIG" + name), note)
os.write(1, b"pid %d\n" % os.getpid())
while True:
    try:
        if os.read(0, 100):
            break
    except InterruptedError:
        pass
os.write(1, b"total " + b" ".join(b"%d=%d" % (n, counts[n]) for n in sorted(counts)) + b"\n")
sys.exit(5)
'''
FORWARDED = ('TERM', 'HUP', 'INT', 'QUIT', 'USR1', 'USR2', 'WINCH', 'CONT', 'TSTP')


def number(name):
    return getattr(signal, 'SIG' + name)


class Signals(sandbox.Case):
    def counter(self, *before, **more):
        reader, writer = os.pipe()
        self.addCleanup(os.close, writer)
        process = self.start(*before, self.sbx, 'run', '--', 'python3', '-c', COUNTER, stdin=reader, **more)
        os.close(reader)
        self.line_of(process, 'pid ')
        self.writer = writer
        return process

    def total(self, process, status=5):
        os.write(self.writer, b'end\n')
        text = self.line_of(process, 'total')
        self.assertEqual(process.wait(60), status)
        return text


@both
class Once(Signals):
    def test_sent_to_sbx(self):
        process = self.counter()
        for name in FORWARDED:
            process.send_signal(number(name))
            self.line_of(process, 'got %d' % number(name))
        want = ' '.join('%d=1' % n for n in sorted(map(number, FORWARDED)))
        self.assertEqual(self.total(process), want)

    def test_sent_to_the_group(self):
        """As the terminal, `kill -- -PGID` and a shell that ends a job do: sbx must not send it again."""
        process = self.counter(process_group=0) if sys.version_info >= (3, 11) else self.counter(preexec_fn=os.setpgrp)
        for name in ('INT', 'USR1', 'HUP', 'TERM'):
            os.killpg(process.pid, number(name))
            self.line_of(process, 'got %d' % number(name))
        want = ' '.join('%d=1' % n for n in sorted(map(number, ('INT', 'USR1', 'HUP', 'TERM'))))
        self.assertEqual(self.total(process), want)

    def test_child_and_then_group(self):
        """GNU timeout signals its child and then the group."""
        process = self.counter('timeout', '--signal=USR1', '--kill-after=100', '1')
        self.line_of(process, 'got %d' % signal.SIGUSR1)
        # timeout may send CONT too, so that a stopped child sees the signal.
        self.assertIn(self.total(process, status=124), ('%d=1' % signal.SIGUSR1, '%d=1 %d=1' % (signal.SIGUSR1, signal.SIGCONT)))

    def test_many_kinds_at_once(self):
        process = self.counter()
        sent = [number(name) for name in ('USR1', 'USR2', 'HUP', 'WINCH', 'TERM')]
        for one in sent:
            process.send_signal(one)
        for _ in sent:
            self.line_of(process, 'got')
        self.assertEqual(self.total(process), ' '.join('%d=1' % n for n in sorted(sent)))


@both
class Decisions(Signals):
    def test_a_trap_decides_the_status(self):
        for name, status in (('TERM', 7), ('HUP', 8), ('INT', 9), ('USR1', 0)):
            process = self.start_inside('sh', '-c', 'trap "exit %d" %s; echo ready; while :; do sleep 0.05; done' % (status, name))
            self.line_of(process, 'ready')
            process.send_signal(number(name))
            self.assertEqual(process.wait(60), status, name)

    def test_without_a_trap_sbx_dies_of_the_same_signal(self):
        for name in ('TERM', 'HUP', 'INT', 'QUIT', 'USR1', 'USR2'):
            process = self.start_inside('sh', '-c', 'echo ready; exec sleep 1000')
            self.line_of(process, 'ready')
            process.send_signal(number(name))
            self.assertEqual(process.wait(60), -number(name), name)

    def test_an_ignored_TERM_is_ignored(self):
        reader, writer = os.pipe()
        process = self.start_inside('sh', '-c', 'trap "" TERM; echo ready; read x; echo "still $x"; exit 4', stdin=reader)
        os.close(reader)
        self.line_of(process, 'ready')
        process.terminate()
        os.write(writer, b'here\n')
        os.close(writer)
        self.line_of(process, 'still here')
        self.assertEqual(process.wait(60), 4)

    def test_real_time_death_and_core_signals(self):
        for one in (signal.SIGSEGV, signal.SIGABRT, signal.SIGFPE, signal.SIGSYS, signal.SIGRTMIN + 3, signal.SIGALRM):
            result = self.inside('python3', '-c', 'import os; os.kill(os.getpid(), %d)' % one)
            self.assertEqual(result.returncode, -one)
        self.assertEqual([name for name in os.listdir(self.project) if 'core' in name], [])

    def test_the_command_stops_itself_and_goes_on(self):
        """The caller sees a stopped sbx, as it would see a stopped command."""
        process = self.start_inside('sh', '-c', 'echo ready; kill -STOP $$; echo after; exit 6', preexec_fn=os.setpgrp)
        self.line_of(process, 'ready')
        _, status = os.waitpid(process.pid, os.WUNTRACED)
        self.assertTrue(os.WIFSTOPPED(status), status)
        os.kill(process.pid, signal.SIGCONT)
        self.line_of(process, 'after')
        self.assertEqual(process.wait(60), 6)

    def test_stop_and_continue_from_outside(self):
        reader, writer = os.pipe()
        process = self.start_inside('sh', '-c', 'echo ready; read x; echo "$x"; exit 3', stdin=reader, preexec_fn=os.setpgrp)
        os.close(reader)
        self.line_of(process, 'ready')
        process.send_signal(signal.SIGTSTP)
        _, status = os.waitpid(process.pid, os.WUNTRACED)
        self.assertTrue(os.WIFSTOPPED(status), status)
        os.kill(process.pid, signal.SIGCONT)
        os.write(writer, b'on\n')
        os.close(writer)
        self.line_of(process, 'on')
        self.assertEqual(process.wait(60), 3)


@both
class Inherited(Signals):
    """nohup, cron, make, ssh and shells start commands with signals ignored or blocked."""

    LINES = ('SigBlk', 'SigIgn')
    SHOW = ('grep', '-E', '^Sig(Blk|Ign)', '/proc/self/status')

    def same(self, prepare):
        plain = self.call(*self.SHOW, preexec_fn=prepare, restore_signals=False)
        inside = self.inside(*self.SHOW, preexec_fn=prepare, restore_signals=False)
        self.assertEqual(self.ok(inside), plain.stdout)
        return plain.stdout

    def test_nothing_special(self):
        def prepare():
            for one in (signal.SIGPIPE, signal.SIGXFSZ):
                signal.signal(one, signal.SIG_DFL)
        self.assertNotIn(b'1', self.same(prepare))

    def test_ignored(self):
        for names in (('HUP',), ('INT', 'QUIT'), ('CHLD',), ('PIPE',), FORWARDED):
            def prepare():
                for name in names:
                    signal.signal(number(name), signal.SIG_IGN)
            self.assertIn(b'SigIgn', self.same(prepare))

    def test_blocked(self):
        def prepare():
            signal.pthread_sigmask(signal.SIG_SETMASK, {signal.SIGUSR1, signal.SIGTERM, signal.SIGCHLD, signal.SIGRTMIN})
        self.same(prepare)

    def test_all_blocked(self):
        def prepare():
            signal.pthread_sigmask(signal.SIG_SETMASK, signal.valid_signals())
        self.same(prepare)

    def test_ignored_children_do_not_hang_it(self):
        def prepare():
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        self.ok(self.shell('sleep 0 & sleep 0 & exit 12', preexec_fn=prepare, restore_signals=False), status=12)

    def test_nohup_holds(self):
        self.needs('nohup')
        process = self.start('nohup', self.sbx, 'run', '--', 'sh', '-c', 'echo ready; read x; exit 11',
                             stdin=self.pipe())
        self.line_of(process, 'ready')
        process.send_signal(signal.SIGHUP)
        os.write(self.writer, b'go\n')
        self.assertEqual(process.wait(60), 11)

    def pipe(self):
        reader, self.writer = os.pipe()
        self.addCleanup(os.close, self.writer)
        self.addCleanup(os.close, reader)
        return reader


def children(pid):
    """Every process below pid, nearest first."""
    parents = {}
    for entry in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open('/proc/%s/stat' % entry) as file:
                fields = file.read().rpartition(')')[2].split()
        except OSError:
            continue
        if fields[0] != 'Z':
            parents.setdefault(int(fields[1]), []).append(int(entry))
    found, todo = [], [pid]
    while todo:
        for child in parents.get(todo.pop(0), []):
            found.append(child)
            todo.append(child)
    return found


@both
class Killed(Signals):
    """SIGKILL of any part of the launcher leaves nothing behind."""

    def started(self):
        self.mark = '98%d%04d' % (os.getpid(), random.randrange(10000))
        script = ('trap "" TERM HUP INT; sleep %s & setsid sleep %s & (setsid sh -c "sleep %s & sleep %s" &) ; '
                  'echo ready; sleep %s' % ((self.mark,) * 5))
        process = self.start_inside('sh', '-c', script, start_new_session=True)
        self.line_of(process, 'ready')
        return process

    def test_each_part_killed(self):
        process = self.started()
        depth = len(children(process.pid))
        self.assertGreaterEqual(depth, 6)
        process.kill()
        process.wait(60)
        self.wait_for(lambda: not self.processes(self.mark), 'the end of what sbx left when it was killed')
        for index in itertools.count():
            process = self.started()
            parts = [pid for pid in children(process.pid) if self.is_launcher(pid)]
            if index >= len(parts):
                process.kill()
                process.wait(60)
                break
            os.kill(parts[index], signal.SIGKILL)
            self.assertNotEqual(process.wait(60), 0)
            self.wait_for(lambda: not self.processes(self.mark), 'the end of everything after part %d was killed' % index)
        self.assertGreaterEqual(index, 2, 'bwrap and the inner stage')

    def is_launcher(self, pid):
        """bwrap or the inner stage; the guardian of held files may go without harm to the run."""
        try:
            with open('/proc/%d/cmdline' % pid, 'rb') as file:
                return file.read().startswith((b'/usr/bin/bwrap\0', b'/proc/self/fd/'))
        except OSError:
            return False

    def test_ended_at_any_moment_of_the_start(self):
        """TERM and KILL while sbx is still setting up: it ends, and nothing stays."""
        for round_ in range(40):
            mark = '97%d%04d' % (os.getpid(), round_)
            process = self.start_inside('sleep', mark)
            for _ in range(round_ * 300):
                pass
            if round_ % 2:
                # Not before the bwrap line is there: waiting for the n-th child hits every stage.
                self.wait_for(lambda: len(children(process.pid)) >= round_ % 3, 'a child', patience=60)
            process.send_signal(signal.SIGKILL if round_ % 4 == 3 else signal.SIGTERM)
            status = process.wait(60)
            self.assertIn(status, (-signal.SIGTERM, -signal.SIGKILL), process.stderr.read())
            self.wait_for(lambda: not self.processes(mark), 'the end of everything')


    def test_bwrap_killed_at_any_moment_of_the_start(self):
        """Its child waits for it for ever when it dies in between two of its own steps."""
        def direct(pid):
            with open('/proc/%d/task/%d/children' % (pid, pid)) as file:
                return [int(child) for child in file.read().split()]
        caught = 0
        for round_ in range(60):
            process = self.start_inside('sleep', '96%d%04d' % (os.getpid(), round_))
            try:
                bwrap = inner = 0
                while not bwrap:
                    bwrap = (direct(process.pid) or [0])[0]
                while not inner:
                    inner = (direct(bwrap) or [0])[0]
                for _ in range(round_ * 20):
                    pass
                os.kill(bwrap, signal.SIGKILL)
                caught += 1
            except OSError:  # sbx has ended for a reason of its own: the assertion tells
                pass
            self.assertNotEqual(process.wait(60), 0, process.stderr.read())
            self.wait_for(lambda: not os.path.exists('/proc/%d' % inner), 'the end of what bwrap had started')
        self.assertGreater(caught, 30)


@unittest.skipUnless(os.geteuid() == 0, 'a pid namespace takes root')
class AsInit(Signals):
    """In a container sbx may be PID 1, which cannot die of a signal's default action."""

    def test_status(self):
        def status(script):
            return self.call('unshare', '--pid', '--fork', '--mount-proc', self.sbx, 'run', '--', 'sh', '-c', script).returncode
        self.assertEqual(status('exit 9'), 9)
        self.assertEqual(status('kill -TERM $$'), 143)
        self.assertEqual(status('kill -KILL $$'), 137)


if __name__ == '__main__':
    sandbox.main()
