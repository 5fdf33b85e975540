"""What the tests of terminals share: a command in the sandbox as the leader of a terminal's session."""
import os

import sandbox


class AtTerminal(sandbox.Case):
    def program(self, *words, flags=(), **more):
        """A command in the sandbox as the leader of the terminal's session."""
        return self.on_terminal(self.sbx, 'run', *flags, '--', *words, **more)

    def fifo(self, name):
        os.mkfifo(os.path.join(self.project, name))
        self.own()

    def session(self, *more):
        """An interactive shell outside, in which `sbx` is a word."""
        env = self.environment(PS1='prompt> ', PATH=os.path.dirname(self.sbx) + ':' + sandbox.PATH, HISTFILE='')
        shell = self.on_terminal('bash', '--norc', '--noediting', '-i', *more, env=env)
        shell.expect('prompt> ')
        return shell

    @staticmethod
    def words(pid):
        """The command line of a process of the host."""
        try:
            with open('/proc/%d/cmdline' % pid, 'rb') as file:
                return file.read()
        except OSError:
            return b''
