"""Keys and job control work at a terminal as without sbx; the terminal is left as it was found."""
import os
import signal

import sandbox
from at_terminal import AtTerminal
from sandbox import both

COUNTER = r'''
import os, signal, sys
counts = {}
def note(number, frame):
    counts[number] = counts.get(number, 0) + 1
    os.write(1, b"got %d;" % number)
for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP):
    signal.signal(number, note)
os.write(1, b"ready;")
while not sys.stdin.readline():
    pass
print("total", sorted(counts.items()), flush=True)
'''


@both
class Keys(AtTerminal):
    def test_ctrl_c_arrives_once(self):
        terminal = self.program('python3', '-c', COUNTER)
        terminal.expect('ready;')
        terminal.send('\x03')
        terminal.expect('got 2;')
        terminal.send('\x1c')
        terminal.expect('got 3;')
        terminal.send('\x1a')
        terminal.expect('got 20;')
        terminal.line('end')
        terminal.expect(r'total \[\(2, 1\), \(3, 1\), \(20, 1\)\]')
        self.assertEqual(terminal.wait(), 0)

    def test_ctrl_c_ends_a_command(self):
        shell = self.session()
        shell.line('sbx run -- sh -c "echo up; exec sleep 1000"')
        shell.expect('\nup')
        shell.send('\x03')
        shell.expect('prompt> ')
        shell.line('echo "status=$?"')
        shell.expect('status=130')

    def test_ctrl_backslash_ends_a_command(self):
        shell = self.session()
        shell.line('ulimit -c 0; sbx run -- sh -c "echo up; exec sleep 1000"')
        shell.expect('\nup')
        shell.send('\x1c')
        shell.expect('prompt> ')
        shell.line('echo "status=$?"')
        shell.expect('status=131')

    def test_a_trap_decides(self):
        shell = self.session()
        shell.line("""sbx run -- sh -c 'trap "exit 8" INT; echo up; while :; do sleep 0.05; done'""")
        shell.expect('\nup')
        shell.send('\x03')
        shell.expect('prompt> ')
        shell.line('echo "status=$?"')
        shell.expect('status=8')

    def test_ctrl_c_at_any_moment_of_the_start(self):
        """None is lost: the command sleeps for an hour unless it gets it."""
        for _ in range(15):
            terminal = self.on_terminal('sh', '-c', 'echo go; exec "$0" run -- sleep 3600', self.sbx)
            terminal.expect('go')
            terminal.send('\x03')
            self.assertEqual(terminal.wait(), -signal.SIGINT)

    def test_end_of_input(self):
        terminal = self.program('cat')
        terminal.line('hello')
        terminal.expect('hello.*hello')
        terminal.send('\x04')
        self.assertEqual(terminal.wait(), 0)

    def test_a_closed_terminal_ends_everything(self):
        mark = '96%d' % os.getpid()
        terminal = self.program('sh', '-c', 'sleep %s & echo up; sleep %s' % (mark, mark))
        terminal.expect('up')
        os.close(terminal.fd)
        os.close(terminal.slave)
        terminal.fd = -1
        self.assertIn(os.waitstatus_to_exitcode(os.waitpid(terminal.pid, 0)[1]), (-signal.SIGHUP, 129))
        self.wait_for(lambda: not self.processes(mark), 'the end of everything')


@both
class Jobs(AtTerminal):
    def test_a_suspended_shell_ends_with_the_terminal(self):
        """The shell inside has a group of its own, so what the shell outside sends to its job must be passed on."""
        for ending in (signal.SIGHUP, signal.SIGKILL):
            shell = self.session()
            shell.line('sbx run -- bash --norc --noediting -i')
            shell.expect(r'[$#] $')
            shell.line('echo i""n; suspend')
            shell.expect('\nin')
            shell.expect('prompt> ')
            shell.line('echo "sbx=$(jobs -p)"')
            pid = int(shell.expect(r'\nsbx=(\d+)').group(1))
            self.assertIn(b'--norc', self.words(pid))
            os.kill(shell.pid, ending)
            shell.wait()
            self.wait_for(lambda: self.words(pid) == b'', 'the end of the stopped run')

    def test_stop_and_foreground(self):
        shell = self.session()
        shell.line('sbx run -- cat')
        shell.line('one')
        shell.expect('one.*one')
        shell.send('\x1a')
        shell.expect('Stopped.*prompt> ')
        shell.line('jobs')
        shell.expect(r'\[1\]\+\s+Stopped.*prompt> ')
        shell.line('fg')
        shell.expect('sbx run -- cat')
        shell.line('two')
        shell.expect('two.*two')
        shell.send('\x04')
        shell.expect('prompt> ')
        shell.line('echo "status=$?"')
        shell.expect('status=0')

    def test_the_signal_that_stopped_it_is_told(self):
        """The shell's `$?` of a stopped job, as without sbx: 128 + TSTP, TTIN, STOP."""
        shell = self.session()
        for launcher in ('', 'sbx run -- '):
            shell.line(launcher + 'sh -c "echo r-up; exec cat"')
            shell.expect('\nr-up')
            shell.send('\x1a')
            shell.expect('Stopped.*prompt> ')
            shell.line('echo "was=$?"')
            shell.expect('was=148.*prompt> ')
            shell.line('kill %1; fg')
            shell.expect('prompt> ')
        for kind in ('TTIN', 'TTOU', 'STOP'):
            shell.line('sbx run -- sh -c "kill -%s \\$\\$; exit 3"' % kind)
            shell.expect('Stopped.*prompt> ')
            shell.line('echo "was=$?"')
            shell.expect('was=%d.*prompt> ' % (128 + getattr(signal, 'SIG' + kind)))
            shell.line('fg; echo "end=$?"')
            shell.expect('end=3.*prompt> ')

    def test_stop_often(self):
        shell = self.session()
        shell.line('sbx run -- cat')
        for word in ('first', 'second', 'third'):
            shell.line(word)
            shell.expect('%s.*%s' % (word, word))
            shell.send('\x1a')
            shell.expect('Stopped.*prompt> ')
            shell.line('fg')
            shell.expect('sbx run -- cat')
        # The shell says the command line before it hands over the terminal.
        shell.line('last')
        shell.expect('last.*last')
        shell.send('\x03')
        shell.expect('prompt> ')

    def test_background(self):
        os.mkfifo(os.path.join(self.project, 'fifo'))
        self.own()
        shell = self.session()
        shell.line("sbx run -- sh -c 'echo up; read x <fifo; echo got-$x'")
        shell.expect('\nup')
        shell.send('\x1a')
        shell.expect('Stopped.*prompt> ')
        shell.line('bg')
        shell.expect('prompt> ')
        shell.line('echo word >fifo')
        shell.expect('got-word')
        shell.line('wait; echo "all=$?"')
        shell.expect('all=0')

    def test_background_reader_is_stopped(self):
        shell = self.session()
        shell.line('sbx run -- cat &')
        shell.expect('prompt> ')
        def stopped():
            shell.line('jobs')
            return b'Stopped' in shell.expect(r'\[1\].*?prompt> ').group(0)
        self.wait_for(stopped, 'the stop of a background job that reads the terminal')
        shell.line('fg')
        shell.expect('sbx run -- cat')
        shell.line('hello')
        shell.expect('hello.*hello')
        shell.send('\x04')
        shell.expect('prompt> ')

    def test_a_stopped_job_can_be_killed(self):
        mark = '95%d' % os.getpid()
        shell = self.session()
        shell.line('sbx run -- sh -c "echo up; exec sleep %s"' % mark)
        shell.expect('\nup')
        shell.send('\x1a')
        shell.expect('Stopped.*prompt> ')
        shell.line('kill -TERM %1; wait %1; echo "status=$?"')
        shell.expect(r'status=\d+')
        shell.line('kill -CONT %1 2>/dev/null; kill -KILL %1 2>/dev/null; wait')
        self.wait_for(lambda: not self.processes(mark), 'the end of the job')

    def test_pipelines(self):
        shell = self.session()
        shell.line('sbx run -- seq 3 | sbx run -- tac | tr "\\n" ,; echo')
        shell.expect('3,2,1,')
        shell.expect('prompt> ')
        shell.line('sbx run -- yes | sbx run -- head -1; echo "${PIPESTATUS[*]}"')
        shell.expect('\ny\r\n141 0')
        shell.expect('prompt> ')
        shell.line('sbx run -- cat | sbx run -- sh -c "echo up >&2; exec cat"')
        shell.expect('\nup')
        shell.line('one')
        shell.expect('one.*one')
        shell.send('\x1a')
        shell.expect('Stopped.*prompt> ')
        shell.line('fg')
        shell.line('two')
        shell.expect('two.*two')
        shell.send('\x03')
        shell.expect('prompt> ')
        shell.line('echo "status=$?"')
        shell.expect('status=130')

    def test_pager_at_the_end_of_a_pipeline(self):
        self.needs('less')
        self.git('init', '-q')
        for number in range(3):
            self.git('commit', '-q', '--allow-empty', '-m', 'commit-%d' % number)
        shell = self.session()
        shell.line('sbx run -- git log --format=%s | less')
        shell.expect('commit-2.*END')
        shell.send('q')
        shell.expect('prompt> ')
        shell.line('sbx run -- git log --format=%s | sbx run -- less')
        shell.expect('commit-2.*END')
        shell.send('q')
        shell.expect('prompt> ')
        shell.line('less README | sbx run -- cat; echo "${PIPESTATUS[*]}"')
        shell.expect(r'\n\d 0')

    def test_pager_inside(self):
        self.needs('less', 'git')
        self.git('init', '-q')
        self.git('commit', '-q', '--allow-empty', '-m', 'first-commit')
        self.write('long', ''.join('line-%d\n' % n for n in range(5000)))
        shell = self.session()
        shell.line('sbx run -- less long')
        shell.expect('line-0')
        shell.send('G')
        shell.expect('line-4999')
        shell.send('q')
        shell.expect('prompt> ')
        shell.line('sbx run -- git -c core.pager="less -+F" log')
        shell.expect('first-commit')
        shell.send('q')
        shell.expect('prompt> ')

    def test_job_control_of_a_shell_inside(self):
        terminal = self.program('bash', '--norc', '--noediting', '-i')
        terminal.expect(r'\$ |# ')
        terminal.line('PS1="in> "')
        terminal.expect('in> $')
        terminal.line('sleep 1000')
        terminal.expect('1000')
        self.foreground_changes(terminal)
        terminal.send('\x1a')
        terminal.expect('Stopped.*in> ')
        terminal.line('jobs')
        terminal.expect(r'Stopped +sleep 1000.*in> ')
        terminal.line('bg; fg')
        terminal.expect('sleep 1000.*sleep 1000')
        self.foreground_changes(terminal)
        terminal.send('\x03')
        terminal.expect('in> ')
        terminal.line('exit 3')
        self.assertEqual(terminal.wait(), 3)

    def foreground_changes(self, terminal):
        """Waits until the shell inside has handed the terminal to its job."""
        terminal.until(lambda: terminal.foreground() != terminal.pid and b'sleep' in self.words(terminal.foreground()),
                       'sleep in the foreground')


if __name__ == '__main__':
    sandbox.main()
