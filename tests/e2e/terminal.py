"""Drives a program on a pseudo-terminal. Every step waits for what the program prints or does, never for time."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

PATIENCE = 60  # seconds until a step that never happens fails the test


class Terminal:
    """`argv` as the session leader of a terminal of its own; `become` is called in the child, to change ids."""

    def __init__(self, argv, cwd, env, rows=24, cols=80, become=None):
        self.seen, self.status = b'', None
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', rows, cols, 0, 0))
        self.name = os.ttyname(slave)
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.setsid()
                fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
                for number in (0, 1, 2):
                    os.dup2(slave, number)
                os.closerange(3, 256)
                signal.signal(signal.SIGPIPE, signal.SIG_DFL)
                os.chdir(cwd)
                if become:
                    become(self.name)
                os.execvpe(argv[0], argv, env)
            finally:
                os._exit(127)
        self.fd, self.slave = master, slave

    def close(self):
        """Ends what is left of the session; safe to call twice."""
        if self.fd < 0:
            return
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)
        os.close(self.slave)
        self.fd = -1

    def send(self, text):
        os.write(self.fd, text.encode() if isinstance(text, str) else text)

    def line(self, text):
        self.send(text + '\r')

    def resize(self, rows, cols):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack('HHHH', rows, cols, 0, 0))

    def _read(self, seconds):
        """Takes what is there; False at the end of the terminal."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            return False
        self.seen += data
        return bool(data)

    def expect(self, pattern, patience=PATIENCE):
        """Waits for the regular expression in the output that no earlier call has taken; returns the match."""
        compiled = re.compile(pattern.encode() if isinstance(pattern, str) else pattern, re.S)
        end = time.monotonic() + patience
        while True:
            found = compiled.search(self.seen)
            if found:
                self.seen = self.seen[found.end():]
                return found
            if time.monotonic() > end or not self._read(1):
                found = compiled.search(self.seen)
                if found:
                    self.seen = self.seen[found.end():]
                    return found
                raise AssertionError('no %r in the terminal, which shows: %r' % (pattern, self.seen[-1500:]))

    def until(self, test, what, patience=PATIENCE):
        """Waits until test() holds while the terminal is kept drained."""
        end = time.monotonic() + patience
        while not test():
            if time.monotonic() > end:
                raise AssertionError('never came: %s; the terminal shows %r' % (what, self.seen[-1500:]))
            self._read(0.02)

    def wait(self, patience=PATIENCE):
        """The program's end, as os.waitstatus_to_exitcode gives it."""
        def ended():
            if self.status is None:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
                if pid:
                    self.status = os.waitstatus_to_exitcode(status)
            return self.status is not None
        self.until(ended, 'the end of the program', patience)
        while select.select([self.fd], [], [], 0)[0] and self._read(0):
            pass
        return self.status

    def modes(self):
        """The terminal's modes, to compare before and after."""
        return termios.tcgetattr(self.slave)

    def foreground(self):
        """The foreground process group."""
        return struct.unpack('i', fcntl.ioctl(self.fd, termios.TIOCGPGRP, b'\0' * 4))[0]

    def raw(self):
        """Is the terminal in raw mode, as an editor or a password prompt sets it?"""
        return not termios.tcgetattr(self.slave)[3] & termios.ICANON

    def echo(self):
        return bool(termios.tcgetattr(self.slave)[3] & termios.ECHO)
