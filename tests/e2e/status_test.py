"""Exit statuses and the status lines for host programs."""
import json
import os
import signal
import unittest

import sandbox
from sandbox import both


@both
class Status(sandbox.Case):
    def test_every_status(self):
        for status in (0, 1, 2, 42, 123, 124, 125, 126, 127, 128, 130, 137, 254, 255):
            self.assertEqual(self.shell('exit %d' % status).returncode, status)

    def test_not_found(self):
        for name in ('no-such-command', './nothing', '/no/such/file', 'data/below'):
            self.write('data', 'x\n')
            result = self.inside(name)
            self.assertEqual(result.returncode, 127, name)
            self.assertIn(name.encode(), result.stderr)
            self.assertTrue(result.stderr.startswith(b'sbx: '), result.stderr)
            self.assertEqual(result.stderr.count(b'\n'), 1, result.stderr)

    def test_not_executable(self):
        self.write('data', 'x\n')
        self.write('broken', b'\x7fELF\x02\x01\x01' + b'\0' * 100, 0o755)
        self.write('locked/inner', '#!/bin/sh\n', 0o755)
        for name in ('./data', '.', '/etc', './broken'):
            result = self.inside(name)
            self.assertEqual(result.returncode, 126, (name, result.stderr))
            self.assertTrue(result.stderr.startswith(b'sbx: '), result.stderr)

    def test_missing_interpreter_is_named(self):
        for line in ('#!/no/such/interpreter', '#! /no/such/interpreter -x', '#!/no/such/interpreter\t-e'):
            self.write('script', line + '\n', 0o755)
            result = self.inside('./script')
            self.assertEqual(result.returncode, 126)
            self.assertIn(b'/no/such/interpreter', result.stderr)
        self.write('env-script', '#!/usr/bin/env no-such-interpreter\n', 0o755)
        self.assertEqual(self.inside('./env-script').returncode, 127)  # env's own answer

    def test_the_interpreter_that_is_missing_is_the_one_named(self):
        """Windows line ends are part of the name, and the interpreter may be a script whose own one is missing."""
        self.write('windows', '#!/bin/sh\r\necho hi\r\n', 0o755)
        result = self.inside('./windows')
        self.assertEqual(result.returncode, 126)
        self.assertIn(b'/bin/sh\\r does not exist', result.stderr)
        self.assertIn(b'as on Windows', result.stderr)
        self.write('first', '#!/no/such/interpreter\n', 0o755)
        self.write('second', '#!%s/first\n' % self.project, 0o755)
        result = self.inside('./second')
        self.assertEqual(result.returncode, 126)
        self.assertIn(b'interpreter /no/such/interpreter does', result.stderr)
        self.write('below-a-file', '#!/etc/passwd/sh\n', 0o755)
        result = self.inside('./below-a-file')
        self.assertEqual(result.returncode, 126)
        self.assertIn(b'/etc/passwd/sh', result.stderr)

    def test_a_script_without_an_interpreter_line(self):
        """As execvp and every shell do it."""
        self.write('plain', 'echo "plain $1"\n', 0o755)
        self.assertEqual(self.ok(self.inside('./plain', 'word')), b'plain word\n')

    def test_path_search(self):
        self.write('first/tool', 'not executable\n', 0o644)
        self.write('second/tool', '#!/bin/sh\necho second\n', 0o755)
        os.mkdir(os.path.join(self.project, 'third'))
        env = self.environment(PATH=':'.join([os.path.join(self.project, d) for d in ('nowhere', 'first', 'second')] + [sandbox.PATH]))
        self.assertEqual(self.ok(self.inside('tool', env=env)), b'second\n')
        env = self.environment(PATH=os.path.join(self.project, 'first') + ':' + sandbox.PATH)
        self.assertEqual(self.inside('tool', env=env).returncode, 126)

    def test_own_failure(self):
        result = self.inside('true', flags=['--policy', 'nothing.toml'])
        self.assertEqual(result.returncode, 125)
        self.assertIn(b'nothing.toml', result.stderr)


@both
class Lines(sandbox.Case):
    def lines(self, *words, flags=()):
        reader, writer = os.pipe()
        result = self.inside(*words, flags=['--json-status-fd', str(writer), *flags], pass_fds=(writer,))
        os.close(writer)
        with os.fdopen(reader) as file:
            return result.returncode, [json.loads(line) for line in file]

    def test_exit(self):
        status, lines = self.lines('sh', '-c', 'exit 3')
        self.assertEqual(status, 3)
        self.assertEqual([list(line) for line in lines], [['child-pid'], ['exit-code']])
        self.assertEqual(lines[1], {'exit-code': 3})

    def test_the_pid_is_of_this_machine(self):
        """It can be signalled and looked up by the host program."""
        reader, writer = os.pipe()
        process = self.start_inside('sh', '-c', 'echo up; exec sleep 1000', flags=['--json-status-fd', str(writer)], pass_fds=(writer,))
        os.close(writer)
        self.line_of(process, 'up')
        with os.fdopen(reader) as file:
            pid = json.loads(file.readline())['child-pid']
            self.assertTrue(os.path.exists('/proc/%d' % pid))
            process.terminate()
            self.assertEqual(json.loads(file.readline()), {'signal': int(signal.SIGTERM)})
        process.wait(60)

    def test_signal(self):
        status, lines = self.lines('sh', '-c', 'kill -KILL $$')
        self.assertEqual((status, lines[-1]), (-9, {'signal': 9}))

    def test_errors(self):
        for words, flags, status, code in ((('no-such',), (), 127, 'not_found'), (('/etc',), (), 126, 'not_executable'),
                                           (('sleep', '100'), ('--timeout', '1s'), 124, 'timeout'),
                                           (('true',), ('--policy', 'none.toml'), 125, None)):
            got, lines = self.lines(*words, flags=flags)
            self.assertEqual(got, status)
            error = lines[-1]['error']
            self.assertEqual(sorted(error), ['code', 'message'])
            self.assertEqual(error['code'], code or error['code'])

    def test_missing_interpreter(self):
        self.write('script', '#!/no/such/interpreter\n', 0o755)
        status, lines = self.lines('./script')
        self.assertEqual((status, lines[-1]['error']['code']), (126, 'missing_interpreter'))
        self.assertIn('/no/such/interpreter', lines[-1]['error']['message'])

    def test_a_command_line_that_cannot_be_taken(self):
        """The host program gets its line also when nothing else of the command line is understood."""
        for before, after in (((), ()), ((), ('--no-such-flag', '--', 'true')), (('--no-such-flag',), ('--', 'true')),
                              ((), ('--timeout',)), ((), ('--', ''))):
            reader, writer = os.pipe()
            result = self.run_sbx('run', *before, '--json-status-fd=%d' % writer, *after, pass_fds=(writer,))
            os.close(writer)
            with os.fdopen(reader) as file:
                lines = [json.loads(line) for line in file]
            self.assertEqual(result.returncode, 125)
            self.assertEqual([sorted(line['error']) for line in lines], [['code', 'message']], (before, after, result.stderr))

    def test_the_command_cannot_write_there(self):
        reader, writer = os.pipe()
        self.inside('sh', '-c', 'echo \'{"exit-code":0}\' >&%d; exit 4' % writer,
                    flags=['--json-status-fd', str(writer)], pass_fds=(writer,))
        os.close(writer)
        with os.fdopen(reader) as file:
            self.assertNotIn('"exit-code":0', file.read())

    def test_a_bad_descriptor(self):
        for number in ('77', '-1', 'x', '99999999999'):
            result = self.inside('touch', 'started', flags=['--json-status-fd', number])
            self.assertEqual(result.returncode, 125, number)
        self.assertEqual(os.listdir(self.project), [])

    def test_nobody_reads(self):
        """A host program that went away does not change what the run does."""
        reader, writer = os.pipe()
        os.close(reader)
        result = self.inside('sh', '-c', 'exit 3', flags=['--json-status-fd', str(writer)], pass_fds=(writer,))
        os.close(writer)
        self.assertEqual(result.returncode, 3)


if __name__ == '__main__':
    sandbox.main()
