"""Screen, modes, pipelines and multiplexers work at a terminal as without sbx."""
import os
import signal

import sandbox
from at_terminal import AtTerminal
from sandbox import both


@both
class Screen(AtTerminal):
    def test_size_and_resize(self):
        terminal = self.program('python3', '-c', r'''
import os, signal, sys
def show(*_): os.write(1, ("size %d %d;" % tuple(os.get_terminal_size(0))).encode())
signal.signal(signal.SIGWINCH, show)
show()
sys.stdin.readline()
''', rows=30, cols=90)
        terminal.expect('size 90 30;')
        terminal.resize(31, 101)
        terminal.expect('size 101 31;')
        terminal.resize(12, 40)
        terminal.expect('size 40 12;')
        terminal.line('')
        self.assertEqual(terminal.wait(), 0)

    def test_raw_mode_and_its_end(self):
        for death in ('exit 0', 'exit 3', 'kill -TERM $$', 'kill -KILL $$', 'kill -SEGV $$'):
            outer = self.on_terminal('sh', '-c', '"$0" run -- sh -c "$1"; echo "after=$?"; read x; echo "read=$x"',
                                     self.sbx, 'ulimit -c 0; stty raw -echo; printf "raw;"; ' + death)
            before = outer.modes()
            outer.expect('raw;')
            outer.expect(r'after=\d+')
            if not death.startswith('exit'):  # a program that exits by itself may leave modes on purpose (stty, reset)
                self.assertEqual(outer.modes(), before, death)
            outer.send('text\n')
            if not death.startswith('exit'):
                outer.expect('read=text')
            outer.close()

    def test_modes_stay_when_the_command_set_them_to_stay(self):
        """`sbx run -- stty -echo` does what `stty -echo` does."""
        outer = self.on_terminal('sh', '-c', '"$0" run -- stty -echo; echo done; read x', self.sbx)
        outer.expect('done')
        self.assertFalse(outer.echo())
        outer.line('')
        self.assertEqual(outer.wait(), 0)

    def test_foreground_comes_back(self):
        """Also to a script's shell, which has no job control and cannot repair it itself."""
        for death in ('exit', 'kill -KILL $$', 'sleep 1000 & kill -KILL $$'):
            outer = self.on_terminal('sh', '-c', '"$0" run -- bash --norc --noediting -i; echo after; read x; echo "read=$x"', self.sbx)
            outer.expect(r'\$ |# ')
            outer.line(death)
            outer.expect('after')
            self.assertEqual(outer.foreground(), outer.pid, death)
            outer.line('text')
            outer.expect('read=text')
            self.assertEqual(outer.wait(), 0)

    def test_parts_of_the_launcher_killed(self):
        """bwrap or the inner stage killed in raw mode: the terminal is as before."""
        import signals_test
        for index in (0, 1):
            outer = self.on_terminal('sh', '-c', '"$0" run -- sh -c "$1"; echo "after=$?"; read x; echo "read=$x"',
                                     self.sbx, 'stty raw -echo; printf "raw;"; exec sleep 1000')
            before = outer.modes()
            outer.expect('raw;')
            parts = [pid for pid in signals_test.children(outer.pid)
                     if self.words(pid).startswith((b'/usr/bin/bwrap', b'/proc/self/fd/'))]
            os.kill(parts[index], signal.SIGKILL)
            outer.expect(r'after=\d+')
            self.assertEqual(outer.modes(), before)
            outer.send('text\n')
            outer.expect('read=text')
            outer.close()

    def test_sbx_killed_in_raw_mode(self):
        """Nobody can catch SIGKILL; the guardian puts the modes back for a script's shell, which does not."""
        import signals_test
        for profile in ('default', 'git-look'):  # the second has nothing else to guard
            outer = self.on_terminal('sh', '-c', '"$0" run --profile "$2" -- sh -c "$1"; echo "after=$?"; read x; echo "read=$x"',
                                     self.sbx, 'stty raw -echo; printf "raw;"; exec sleep 1000', profile)
            before = outer.modes()
            outer.expect('raw;')
            os.kill(signals_test.children(outer.pid)[0], signal.SIGKILL)
            outer.expect('after=137')
            outer.until(lambda: outer.modes() == before, 'the modes from before')
            outer.line('text')
            outer.expect('read=text')
            outer.close()

    def test_sbx_killed_while_a_job_inside_has_the_foreground(self):
        import signals_test
        self.fifo('go')
        outer = self.on_terminal('sh', '-c', '"$0" run -- bash --norc --noediting -i; cat go; read x; echo "read=$x"', self.sbx)
        outer.expect(r'\$ |# ')
        outer.line('sleep 1000')
        outer.until(lambda: b'sleep' in self.words(outer.foreground()), 'sleep in the foreground')
        os.kill(signals_test.children(outer.pid)[0], signal.SIGKILL)
        outer.until(lambda: outer.foreground() == outer.pid, 'the foreground from before')
        with open(os.path.join(self.project, 'go'), 'w') as file:
            file.write('go\n')
        outer.expect('go')
        outer.line('text')
        outer.expect('read=text')

    def test_a_pager_keeps_its_modes_when_the_command_before_it_dies(self):
        """The modes that sbx found are not put back below another part of the pipeline."""
        self.needs('less')
        for name in ('late', 'die'):
            self.fifo(name)
        shell = self.session()
        shell.line("sbx run -- sh -c 'seq 100; echo >late; read x <die; kill -KILL $$' | { read x <late; less; }")
        shell.expect('10\r?\n')
        shell.until(shell.raw, 'the pager')
        with open(os.path.join(self.project, 'die'), 'w') as file:
            file.write('now\n')
        shell.send('G')
        shell.expect('END')
        self.assertTrue(shell.raw())
        shell.send('q')
        shell.expect('prompt> ')

    def test_password_prompt(self):
        terminal = self.program('python3', '-c', 'import getpass; print("length", len(getpass.getpass("word: ")))')
        terminal.expect('word: ')
        terminal.until(lambda: not terminal.echo(), 'no echo')
        terminal.line('hidden')
        self.assertNotIn(b'hidden', terminal.expect('length 6').string)
        self.assertEqual(terminal.wait(), 0)
        self.assertTrue(terminal.echo())

    def test_editor(self):
        self.needs('vim')
        self.write('text', 'old\n')
        self.ok(self.inside('vim', '-es', '-u', 'NONE', '-c', '%s/old/new/', '-c', 'wq', 'text'))
        with open(os.path.join(self.project, 'text')) as file:
            self.assertEqual(file.read(), 'new\n')
        terminal = self.program('vim', '-u', 'NONE', '-n', 'text')
        before = terminal.modes()
        terminal.expect('new')
        terminal.until(terminal.raw, 'raw mode')
        terminal.send('ofrom the editor\x1b:wq\r')
        self.assertEqual(terminal.wait(), 0)
        self.assertEqual(terminal.modes(), before)
        with open(os.path.join(self.project, 'text')) as file:
            self.assertEqual(file.read(), 'new\nfrom the editor\n')

    def test_editor_stopped_and_resumed(self):
        self.needs('vim')
        self.write('text', 'some text\n')
        shell = self.session()
        shell.line('sbx run -- vim -u NONE -n text')
        shell.expect('some text')
        shell.send('\x1a')
        shell.expect('Stopped.*prompt> ')
        shell.line('echo "cooked=$((6*7))"')
        shell.expect('cooked=42.*prompt> ')
        shell.line('fg')
        shell.expect('some text')
        shell.send(':q\r')
        shell.expect('prompt> ')
        shell.line('echo "status=$?"')
        shell.expect('status=0')

    def test_it_is_a_terminal(self):
        script = 'echo "to its name" >"$(tty)"; test -t 0 && test -t 1 && test -t 2 && echo three; echo x >/dev/tty; stty size'
        terminal = self.program('sh', '-c', script, rows=33, cols=77)
        terminal.expect('to its name')
        terminal.expect('three')
        terminal.expect('x\r\n33 77')
        self.assertEqual(terminal.wait(), 0)

    def test_script_inside_and_outside(self):
        self.needs('script')
        out = self.ok(self.call('script', '-qec', self.sbx + " run -- sh -c 'tty; exit 0'", '/dev/null'))
        self.assertIn(b'/dev/', out)
        out = self.ok(self.inside('script', '-qec', 'tty; exit 0', '/dev/null'))
        self.assertIn(b'/dev/pts/', out)
        self.assertEqual(self.inside('script', '-qec', 'exit 7', '/dev/null').returncode, 7)

    def test_repl(self):
        terminal = self.program('python3', '-q')
        terminal.expect('>>> ')
        terminal.line('6 * 7')
        terminal.expect('\n42.*>>> ')
        terminal.line('print(6 * 9), [0 for _ in iter(int, 1)]')
        terminal.expect('\n54')
        terminal.send('\x03')
        terminal.expect('KeyboardInterrupt.*>>> ')
        terminal.line('exit(4)')
        self.assertEqual(terminal.wait(), 4)


@both
class Multiplexer(AtTerminal):
    def setUp(self):
        super().setUp()
        self.needs('tmux')

    def test_sbx_in_tmux(self):
        socket = os.path.join(self.home, 't.sock')
        outer = self.on_terminal('tmux', '-S', socket, '-f', '/dev/null', 'new-session', self.sbx, 'run', '--', 'sh', '-c',
                                 'echo up-$((40+2)); read x; echo "read=$x"; read y')
        outer.expect('up-42')
        outer.line('word')
        outer.expect('read=word')
        outer.line('')
        self.assertEqual(outer.wait(), 0)

    def test_tmux_in_sbx(self):
        socket = '/tmp/sbx-e2e-%d.sock' % os.getpid()
        outer = self.program('tmux', '-S', socket, '-f', '/dev/null', 'new-session',
                             'sh', '-c', 'echo up-$((40+2)); read x; echo "read=$x"; read y')
        outer.expect('up-42')
        outer.line('word')
        outer.expect('read=word')
        outer.line('')
        self.assertEqual(outer.wait(), 0)
        self.assertFalse(os.path.exists(socket))


if __name__ == '__main__':
    sandbox.main()
