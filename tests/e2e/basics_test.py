"""The first thing that a newcomer does, and the first things that go wrong (issue 2 of the plan)."""
import os
import subprocess
import tempfile
import unittest

import sandbox
from sandbox import both


@both
class RealWork(sandbox.Case):
    """A project whose path has a space and a letter that is not ASCII."""

    def setUp(self):
        super().setUp()
        self.project = os.path.join(self.home, 'mein Projékt')
        os.mkdir(self.project)
        self.own()
        self.git('init', '-q')
        self.write('README', 'hello\n')
        self.git('add', '-A')
        self.git('commit', '-q', '-m', 'first')

    def test_git(self):
        self.assertIn(b'nothing to commit', self.ok(self.inside('git', 'status')))
        env = self.environment()
        flags = [word for name in env if name.startswith('GIT_') for word in ('--env', name)]
        self.ok(self.shell('echo x >new && git add new && git commit -q -m second && git diff HEAD~1 --stat',
                           flags=flags))
        self.assertEqual(self.call('git', 'log', '-1', '--format=%s').stdout, b'second\n')

    def test_cmake_project(self):
        self.needs('cmake', 'g++', 'make')
        self.write('CMakeLists.txt', 'cmake_minimum_required(VERSION 3.10)\nproject(p CXX)\nenable_testing()\n'
                                     'add_executable(t t.cc)\nadd_test(NAME t COMMAND t)\n')
        self.write('t.cc', 'int main() { return 0; }\n')
        out = self.ok(self.shell('cmake -S . -B build >/dev/null && cmake --build build >/dev/null && '
                                 'cd build && ctest'))
        self.assertIn(b'100% tests passed', out)

    def test_node(self):
        self.needs('npm', 'node')
        self.assertEqual(self.ok(self.shell(
            'mkdir web && cd web && npm init -y >/dev/null && node -e "console.log(6 * 7)"')), b'42\n')
        self.assertTrue(os.path.exists(os.path.join(self.project, 'web', 'package.json')))

    def test_python_venv(self):
        out = self.ok(self.shell('python3 -m venv --without-pip v && v/bin/python -c "import sys; print(sys.prefix)"'))
        self.assertEqual(out.decode().strip(), os.path.join(self.project, 'v'))

    def test_everyday_tools(self):
        self.assertEqual(self.ok(self.shell('sed s/hello/bye/ README; find . -name README; tar cf - README | tar tf -')),
                         b'bye\n./README\nREADME\n')

    def test_below_the_worktree(self):
        sub = os.path.join(self.project, 'a', 'b')
        os.makedirs(sub)
        self.own()
        self.assertEqual(self.ok(self.inside('pwd', cwd=sub)).decode().strip(), sub)
        self.ok(self.shell('echo x >../../from-below', cwd=sub))
        self.assertTrue(os.path.exists(os.path.join(self.project, 'from-below')))


@both
class View(sandbox.Case):
    def test_home_is_private_and_empty(self):
        with open(os.path.join(self.home, 'secret'), 'w') as file:
            file.write('s3cret')
        self.own()
        out = self.ok(self.shell('ls -A "$HOME"; echo x >"$HOME/new"; cat "$HOME/secret" 2>/dev/null; echo done'))
        self.assertEqual(out, b'project\ndone\n')
        self.assertFalse(os.path.exists(os.path.join(self.home, 'new')))

    def test_the_system_is_read_only(self):
        for path in ('/usr', '/etc', '/bin', '/opt', '/'):
            self.ok(self.shell('touch %s/sbx-test 2>/dev/null' % path), status=1)

    def test_temporary_places(self):
        out = self.ok(self.shell('stat -c %a /tmp /dev/shm; ls -A /tmp | grep -v runtime; echo x >/tmp/x; echo x >/dev/shm/x'))
        self.assertEqual(out, b'1777\n1777\n')
        self.assertFalse(os.path.exists('/dev/shm/x'))

    def test_own_namespaces(self):
        here = {name: os.readlink('/proc/self/ns/' + name) for name in ('user', 'pid', 'ipc', 'uts', 'cgroup', 'net', 'mnt')}
        out = self.ok(self.shell('for n in user pid ipc uts cgroup net mnt; do readlink /proc/self/ns/$n; done')).decode().split()
        for name, inside in zip(here, out):
            self.assertNotEqual(here[name], inside, name)

    def test_no_capabilities_and_no_remount(self):
        out = self.ok(self.shell('grep ^Cap /proc/self/status; grep NoNewPrivs /proc/self/status')).decode()
        self.assertEqual(out.count('0000000000000000'), 5, out)
        self.assertIn('NoNewPrivs:\t1', out)
        self.ok(self.shell('mount -o remount,rw,bind /usr 2>/dev/null || exit 9'), status=9)

    def test_environment(self):
        env = self.environment(AWS_SECRET_ACCESS_KEY='x', NODE_OPTIONS='--bad', LC_TIME='C', FOO='bar')
        out = self.ok(self.inside('env', env=env)).decode()
        self.assertNotIn('AWS', out)
        self.assertNotIn('NODE_OPTIONS', out)
        self.assertNotIn('FOO', out)
        self.assertIn('LC_TIME=C', out)
        self.assertIn('FOO=bar', self.ok(self.inside('env', env=env, flags=['--env', 'FOO'])).decode())

    def test_inherited_descriptors_are_closed(self):
        with open(os.path.join(self.home, 'secret'), 'w+') as secret, tempfile.TemporaryFile() as other:
            os.set_inheritable(secret.fileno(), True)
            directory = os.open('/', os.O_RDONLY | os.O_DIRECTORY)
            self.addCleanup(os.close, directory)
            numbers = (secret.fileno(), other.fileno(), directory)
            out = self.ok(self.shell('ls /proc/self/fd', pass_fds=numbers)).split()
        self.assertEqual(out, [b'0', b'1', b'2', b'3'])  # 3 is ls reading the directory


@both
class Status(sandbox.Case):
    def test_table(self):
        self.write('script', '#!/no/such/interpreter\n', 0o755)
        self.write('data', 'x\n')
        for script, status in (('exit 0', 0), ('exit 42', 42), ('exit 255', 255), ('kill -TERM $$', -15),
                               ('kill -KILL $$', -9), ('kill -SEGV $$', -11)):
            self.assertEqual(self.shell(script).returncode, status, script)
        self.assertEqual(self.inside('no-such-command').returncode, 127)
        self.assertEqual(self.inside('./data').returncode, 126)
        self.assertEqual(self.inside('/etc').returncode, 126)
        result = self.inside('./script')
        self.assertEqual(result.returncode, 126)
        self.assertIn(b'/no/such/interpreter', result.stderr)

    def test_a_command_named_like_an_option(self):
        self.write('--bind', '#!/bin/sh\necho ran "$@"\n', 0o755)
        env = self.environment(PATH=self.project + ':' + sandbox.PATH)
        self.assertEqual(self.ok(self.inside('--bind', '/', '/', env=env)), b'ran / /\n')

    def test_json_status(self):
        def lines(*words):
            read, write = os.pipe()
            result = self.inside(*words, flags=['--json-status-fd', str(write)], pass_fds=(write,))
            os.close(write)
            with os.fdopen(read) as file:
                return result.returncode, file.read().splitlines()
        status, text = lines('sh', '-c', 'exit 3')
        self.assertEqual((status, text[1:]), (3, ['{"exit-code":3}']))
        self.assertRegex(text[0], r'^\{"child-pid":\d+\}$')
        status, text = lines('sh', '-c', 'kill -TERM $$')
        self.assertEqual((status, text[1:]), (-15, ['{"signal":15}']))
        status, text = lines('no-such-command')
        self.assertEqual(status, 127)
        self.assertIn('"code":"not_found"', text[-1])


@both
class BadInput(sandbox.Case):
    """A clear message, the right status, nothing started, nothing left behind."""

    def refused(self, *words, text=b'', status=125, **more):
        before = sorted(os.listdir(self.project))
        result = self.run_sbx(*words, **more)
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertIn(b'sbx: ', result.stderr)
        self.assertIn(text, result.stderr)
        self.assertEqual(result.stdout, b'')
        self.assertEqual(sorted(os.listdir(self.project)), before)

    def test_command_line(self):
        self.refused('run', text=b'no command')
        self.refused('run', '--', text=b'no command')
        self.refused('run', '--no-such-flag', '--', 'touch', 'started', text=b'--no-such-flag')
        self.refused('run', '--', '', text=b'empty')

    def test_policy_files(self):
        self.refused('run', '--policy', 'missing.toml', '--', 'touch', 'started', text=b'missing.toml')
        self.refused('run', '--policy', '.', '--', 'touch', 'started', text=b'directory')
        self.write('bad.toml', b'[sandbox]\nbackend = "\xff"\n')
        self.refused('run', '--policy', 'bad.toml', '--', 'touch', 'started', text=b'UTF-8')
        self.write('unknown.toml', '[sandbox]\nallowedReadPath = []\n')
        result = self.run_sbx('run', '--policy', 'unknown.toml', '--', 'touch', 'started')
        self.assertEqual(result.returncode, 125)
        self.assertIn(b'unknown.toml:2:1: error: ', result.stderr)
        self.assertIn(b'allowedReadPaths', result.stderr)
        self.assertNotIn('started', os.listdir(self.project))

    def test_folders(self):
        for folder in ('/', self.home):
            result = self.inside('touch', 'started', cwd=folder)
            self.assertEqual(result.returncode, 125, (folder, result.stderr))
            self.assertIn(b'sbx: ', result.stderr)
            self.assertFalse(os.path.exists(os.path.join(folder, 'started')))

    def test_deleted_folder(self):
        gone = os.path.join(self.project, 'gone')
        os.mkdir(gone)
        self.own()
        result = self.call('sh', '-c', 'rmdir "$PWD" && exec "$0" run -- true', self.sbx, cwd=gone)
        self.assertEqual(result.returncode, 125)
        self.assertIn(b'does not exist', result.stderr)

    def test_stdin_closed(self):
        result = self.call('sh', '-c', 'exec "$0" run -- sh -c "[ ! -e /proc/self/fd/0 ] && echo closed" <&-', self.sbx)
        self.assertEqual(self.ok(result), b'closed\n')

    def test_standard_streams_that_lead_out(self):
        directory = os.open('/', os.O_RDONLY)
        self.addCleanup(os.close, directory)
        result = self.inside('true', stdin=directory)
        self.assertEqual(result.returncode, 125)
        self.assertIn(b'directory', result.stderr)

    def test_many_and_long_arguments(self):
        many = ['x'] * 9001
        self.assertEqual(self.ok(self.inside('sh', '-c', 'echo $#', 'sh', *many)), b'9001\n')
        long = 'y' * 130000
        self.assertEqual(self.ok(self.inside('sh', '-c', 'printf %s "$1" | wc -c', 'sh', long)), b'130000\n')

    def test_a_fake_bwrap_is_not_used(self):
        marker = os.path.join(self.project, 'fake-ran')
        self.write('bin/bwrap', '#!/bin/sh\ntouch "%s"\n' % marker, 0o755)
        env = self.environment(PATH=os.path.join(self.project, 'bin') + ':' + sandbox.PATH)
        self.ok(self.inside('true', env=env))
        self.assertFalse(os.path.exists(marker))


class MissingBwrap(sandbox.Case):
    @unittest.skipUnless(os.geteuid() == 0, 'hiding bwrap takes root')
    def test_names_the_remedy(self):
        script = ('mount --bind /dev/null "$(readlink -f /usr/bin/bwrap)" && '
                  'exec "$0" run -- touch started')
        result = self.call('unshare', '-m', 'sh', '-c', script, self.sbx)
        self.assertEqual(result.returncode, 125)
        self.assertIn(b'sudo apt install bubblewrap', result.stderr)
        self.assertIn(b'sudo dnf install bubblewrap', result.stderr)
        self.assertEqual(os.listdir(self.project), [])


@both
class DryRun(sandbox.Case):
    def test_prints_the_command_and_starts_nothing(self):
        out = self.ok(self.inside('touch', 'started', flags=['--dry-run'])).decode()
        self.assertTrue(out.startswith('/usr/bin/bwrap --unshare-user '), out)
        self.assertIn('--cap-drop ALL', out)
        self.assertEqual(os.listdir(self.project), [])


if __name__ == '__main__':
    sandbox.main()
