"""Arguments, environment, standard streams and descriptors arrive as the caller gave them, and no others."""
import fcntl
import os
import resource
import socket
import unittest

import sandbox
from sandbox import both

DUMP = 'import sys, os; [sys.stdout.buffer.write(os.fsencode(a) + b"\\0") for a in sys.argv[1:]]'
FLAGS = 'import fcntl, os; print(*[fcntl.fcntl(n, fcntl.F_GETFL) & (os.O_NONBLOCK | os.O_APPEND | os.O_ACCMODE) for n in (0, 1, 2)])'


@both
class Bytes(sandbox.Case):
    def test_arguments_of_any_bytes(self):
        words = [bytes(range(1, 256)), b'', b' ', b'--', b'--bind', b'\xff\xfe', b'$(x) `y` "z" \'w\'', b'a\nb', b'*', b'', b'-']
        self.assertEqual(self.ok(self.inside('python3', '-c', DUMP, *words)), b''.join(w + b'\0' for w in words))

    def test_argument_zero(self):
        """A shell's applet name (`exec -a`) belongs to sbx; the command gets its own."""
        self.assertEqual(self.ok(self.inside('sh', '-c', 'echo "$0"')), b'sh\n')

    def test_a_mebibyte_of_arguments(self):
        words = ['x' * 120 for _ in range(8700)]
        self.assertEqual(self.ok(self.inside('sh', '-c', 'echo $#', 'sh', *words)), b'8700\n')

    def test_environment_values_of_any_bytes(self):
        env = {os.fsencode(k): os.fsencode(v) for k, v in self.environment().items()}
        env[b'LC_TEST'] = bytes(range(1, 256))
        out = self.ok(self.inside('sh', '-c', 'printf %s "$LC_TEST"', env=env))
        self.assertEqual(out, bytes(range(1, 256)))

    def test_a_thousand_variables(self):
        env = self.environment(**{'LC_%d' % n: 'v' * 60 for n in range(1000)})
        self.assertEqual(self.ok(self.shell('env | grep -c ^LC_[0-9]', env=env)), b'1000\n')

    def test_malformed_environment(self):
        """Entries without `=`, with an empty name, and twice the same name, as a hostile parent passes them."""
        self.needs('cc')
        self.write('env.c', r'''
#include <unistd.h>
int main(int argc, char** argv) { (void)argc;
    char* env[] = {"PATH=/usr/bin:/bin", "HOME=%s", "NOEQUALS", "=empty", "LC_A=1", "LC_A=2", "", 0};
    execve(argv[1], argv + 1, env); return 99; }''' % self.home)
        self.ok(self.call('cc', '-o', 'env', 'env.c'))
        out = self.ok(self.call('./env', self.sbx, 'run', '--', 'sh', '-c', 'echo "$LC_A"'))
        self.assertIn(out, (b'1\n', b'2\n'))

    def test_empty_environment(self):
        out = self.ok(self.call('env', '-i', self.sbx, 'run', '--', '/bin/sh', '-c', 'echo ok; pwd', env={}))
        self.assertEqual(out.decode(), 'ok\n%s\n' % self.project)


@both
class Streams(sandbox.Case):
    def test_binary_through_all(self):
        data = bytes(range(256)) * 4000
        self.assertEqual(self.ok(self.inside('cat', input=data)), data)
        result = self.inside('sh', '-c', 'cat >&2', input=data)
        self.assertEqual((result.stdout, result.stderr), (b'', data))

    def test_input_is_not_touched(self):
        """What the command does not read is there for the next one."""
        self.write('lines', 'one\ntwo\nthree\n')
        with open(os.path.join(self.project, 'lines'), 'rb') as file:
            self.ok(self.inside('sh', '-c', 'exit 0', stdin=file))
            self.assertEqual(os.lseek(file.fileno(), 0, os.SEEK_CUR), 0)
            self.ok(self.inside('dd', 'bs=4', 'count=1', 'status=none', stdin=file))
            self.assertEqual(os.lseek(file.fileno(), 0, os.SEEK_CUR), 4)

    def test_closed_streams_stay_closed(self):
        for redirect, number in (('<&-', 0), ('>&-', 1), ('2>&-', 2), ('<&- >&- 2>&-', 1)):
            script = 'exec "$0" run -- sh -c "[ ! -e /proc/self/fd/%d ] && : >closed" %s' % (number, redirect)
            self.call('sh', '-c', script, self.sbx)
            path = os.path.join(self.project, 'closed')
            self.assertTrue(os.path.exists(path), redirect)
            os.unlink(path)

    def test_flags_are_the_same(self):
        """O_NONBLOCK, O_APPEND and the access mode belong to the open file that the caller shares."""
        self.write('log', 'x\n')
        for nonblock in (False, True):
            reader, writer = os.pipe()
            log = os.open(os.path.join(self.project, 'log'), os.O_WRONLY | os.O_APPEND)
            os.set_blocking(reader, not nonblock)
            plain = self.call('python3', '-c', FLAGS, stdin=reader, stderr=log)
            inside = self.inside('python3', '-c', FLAGS, stdin=reader, stderr=log)
            self.assertEqual(self.ok(inside), plain.stdout)
            self.assertEqual(os.get_blocking(reader), not nonblock, 'the caller still has what it had')
            for fd in (reader, writer, log):
                os.close(fd)

    def test_a_socket_as_standard_stream(self):
        ours, theirs = socket.socketpair()
        process = self.start_inside('cat', stdin=theirs, stdout=theirs)
        theirs.close()
        ours.sendall(b'through a socket')
        ours.shutdown(socket.SHUT_WR)
        self.assertEqual(ours.recv(100), b'through a socket')
        self.assertEqual(process.wait(60), 0)
        ours.close()

    def test_refused_standard_streams(self):
        """A directory or an O_PATH descriptor is a way out of the sandbox."""
        for flags in (os.O_RDONLY | os.O_DIRECTORY, os.O_PATH, os.O_PATH | os.O_DIRECTORY):
            for where in ('stdin', 'stdout', 'stderr'):
                fd = os.open('/', flags)
                result = self.inside('touch', 'started', **{where: fd})
                os.close(fd)
                self.assertEqual(result.returncode, 125, (flags, where))
                self.assertFalse(os.path.exists(os.path.join(self.project, 'started')))

    def test_output_comes_at_once(self):
        reader, writer = os.pipe()
        process = self.start_inside('sh', '-c', 'echo first; read x; echo "second $x"', stdin=reader)
        os.close(reader)
        self.line_of(process, 'first')
        os.write(writer, b'go\n')
        os.close(writer)
        self.line_of(process, 'second go')

    def test_pipes_close_at_once(self):
        """Neither sbx nor bwrap holds the pipe open after the command has closed it."""
        hold, release = os.pipe()
        process = self.start_inside('sh', '-c', 'exec >&- 2>&-; read x', stdin=hold)
        os.close(hold)
        self.assertEqual(process.stdout.read(), b'')   # ends while the command still runs
        self.assertIsNone(process.poll())
        os.write(release, b'\n')
        os.close(release)
        process.wait(60)

    def test_reader_of_stdin_goes(self):
        """The writer of a pipe gets SIGPIPE as soon as the command, its only reader, has gone."""
        script = '(yes; echo "status $?" >yes) | "$0" run -- head -1'
        self.assertEqual(self.ok(self.call('bash', '-c', script, self.sbx)), b'y\n')
        with open(os.path.join(self.project, 'yes')) as file:
            self.assertEqual(file.read(), 'status 141\n')

    def test_broken_pipe(self):
        script = '"$0" run -- yes | head -1; echo "${PIPESTATUS[*]}"'
        result = self.call('bash', '-c', script, self.sbx)
        self.assertEqual((result.stdout, result.stderr), (b'y\n141 0\n', b''))

    def test_a_gibibyte_at_the_speed_of_a_pipe(self):
        """The caller's own pipe is the command's: nobody copies, so nobody can be slower than a pipe."""
        hold, release = os.pipe()
        process = self.start_inside('sh', '-c', 'readlink /proc/self/fd/1; head -c 1073741824 /dev/zero; read x', stdin=hold)
        os.close(hold)
        pipe = os.readlink('/proc/self/fd/%d' % process.stdout.fileno())
        self.assertEqual(process.stdout.readline().decode().strip(), pipe)
        left = 1 << 30
        while left:
            data = process.stdout.read(min(left, 1 << 20))
            self.assertTrue(data, 'ended %d bytes early' % left)
            left -= len(data)
        with open('/proc/%d/io' % process.pid) as file:
            moved = dict(line.split(': ') for line in file)
        os.write(release, b'\n')
        os.close(release)
        self.assertEqual(process.wait(60), 0)
        self.assertLess(int(moved['rchar']) + int(moved['wchar']), 64 << 20, 'bytes that sbx itself has read and written')

    def test_a_gibibyte_into_the_command(self):
        script = 'head -c 1073741824 /dev/zero | "$0" run -- sh -c "readlink /proc/self/fd/0 >&2; wc -c"'
        result = self.call('sh', '-c', script, self.sbx)
        self.assertEqual(self.ok(result), b'1073741824\n')
        self.assertTrue(result.stderr.startswith(b'pipe:['), result.stderr)


@both
class Descriptors(sandbox.Case):
    LIST = ('sh', '-c', 'cd /proc/self/fd && echo *')

    def listed(self, **more):
        return self.ok(self.inside(*self.LIST, **more)).split()

    def test_nothing_else_is_inherited(self):
        """At any number, of any kind."""
        plain = self.listed()
        kinds = [os.open('/', os.O_RDONLY), os.open('/etc/passwd', os.O_RDONLY), os.open('/', os.O_PATH), os.memfd_create('m'),
                 os.pidfd_open(os.getpid()), *os.pipe(), *[s.detach() for s in socket.socketpair()]]
        top = min(resource.getrlimit(resource.RLIMIT_NOFILE)[0], 60000) - 1
        high = [fcntl.fcntl(kinds[n % len(kinds)], fcntl.F_DUPFD, number) for n, number in enumerate((10, 63, 64, 100, 255, 256, 1023, 1024, top))]
        try:
            self.assertEqual(self.listed(pass_fds=kinds + high), plain)
        finally:
            for fd in kinds + high:
                os.close(fd)

    def test_few_descriptors(self):
        """`ulimit -n 64`, and with nearly all of them in use."""
        self.assertEqual(self.ok(self.call('sh', '-c', 'ulimit -n 64; exec "$0" run -- sh -c "ulimit -n"', self.sbx)), b'64\n')
        script = 'ulimit -n 64; for n in $(seq 3 50); do eval "exec $n</dev/null"; done; exec "$0" run -- echo fine'
        self.assertEqual(self.ok(self.call('bash', '-c', script, self.sbx)), b'fine\n')

    def test_kept(self):
        reader, writer = os.pipe()
        result = self.inside('sh', '-c', 'echo kept >&%d' % writer, flags=['--keep-fd', str(writer)], pass_fds=[writer])
        os.close(writer)
        self.ok(result)
        self.assertEqual(os.read(reader, 100), b'kept\n')
        os.close(reader)

    def test_kept_at_a_high_number(self):
        reader, writer = os.pipe()
        high = fcntl.fcntl(writer, fcntl.F_DUPFD, 200)
        result = self.inside('bash', '-c', 'echo kept >&200 && python3 -c "import os; os.write(200, b\'twice\\n\')"',
                             flags=['--keep-fd', str(high)], pass_fds=[high])
        os.close(high)
        os.close(writer)
        self.ok(result)
        self.assertEqual(os.read(reader, 100), b'kept\ntwice\n')
        os.close(reader)

    def test_keeping_what_leads_out_is_refused(self):
        for fd in (os.open('/', os.O_RDONLY), os.open('/etc', os.O_PATH)):
            result = self.inside('touch', 'started', flags=['--keep-fd', str(fd)], pass_fds=[fd])
            os.close(fd)
            self.assertEqual(result.returncode, 125)
        result = self.inside('touch', 'started', flags=['--keep-fd', '77'])
        self.assertEqual(result.returncode, 125)
        self.assertEqual(os.listdir(self.project), [])

    def test_process_substitution(self):
        script = '"$0" run -- diff <(echo same) <(echo same) && "$0" run -- cat <(echo one) <(echo two)'
        self.assertEqual(self.ok(self.call('bash', '-c', script, self.sbx)), b'one\ntwo\n')
        script = 'echo data | "$0" run -- tee >(cat >&2) >/dev/null'
        result = self.call('bash', '-c', script + '; wait; sleep 0', self.sbx)
        self.ok(result)

    def test_jobserver_of_make(self):
        """Also the pipe form, whose descriptors are named in MAKEFLAGS only."""
        self.needs('make')
        self.write('Makefile', 'all:\n\t+@"$(SBX)" run -- make --no-print-directory -f inner.mk\n')
        self.write('inner.mk', 'all: a b c\na b c:\n\t@echo $@\n')
        result = self.call('make', '--no-print-directory', '-j2', 'SBX=' + self.sbx)
        self.assertEqual(sorted(self.ok(result).split()), [b'a', b'b', b'c'])
        self.assertNotIn(b'jobserver', result.stderr)
        self.assertNotIn(b'jobserver', result.stdout)

    def test_jobserver_that_is_a_fifo(self):
        """make 4.4 and newer; the FIFO lies where the sandbox has a folder of its own."""
        self.needs('make')
        fifo = os.path.join(self.base, 'GMfifo')
        os.mkfifo(fifo)
        os.chmod(fifo, 0o666)
        tokens = os.open(fifo, os.O_RDWR)
        os.write(tokens, b'+')
        self.write('Makefile', 'all: a b\na b:\n\t@echo $@\n')
        result = self.inside('make', '--no-print-directory', env=self.environment(MAKEFLAGS=' -j2 --jobserver-auth=fifo:' + fifo))
        self.assertEqual(sorted(self.ok(result).split()), [b'a', b'b'])
        self.assertEqual(result.stderr, b'')
        self.assertEqual(os.read(tokens, 10), b'+', 'the token is given back')
        os.close(tokens)
        for path in ('/etc/passwd', '/', '/dev/null', self.base + '/missing'):  # nothing but a FIFO is opened for it
            out = self.ok(self.shell('echo "$MAKEFLAGS"; ls /proc/self/fd | wc -l',
                                     env=self.environment(MAKEFLAGS=' -j2 --jobserver-auth=fifo:' + path)))
            self.assertEqual(out.split(), [b'-j2', b'--jobserver-auth=fifo:' + path.encode(), b'4'])

    def test_a_directory_named_as_a_substitution_gains_nothing(self):
        """/dev/fd/N on the command line passes pipes only."""
        fd = os.open('/', os.O_RDONLY)
        result = self.inside('ls', '/dev/fd/%d' % fd, pass_fds=[fd])
        os.close(fd)
        self.assertNotEqual(result.returncode, 0)
        self.assertNotIn(b'usr', result.stdout)


if __name__ == '__main__':
    sandbox.main()
