"""Odd places, odd callers, big projects: the launcher works where people start it."""
import os
import pwd
import shutil
import subprocess
import tempfile
import unittest

import sandbox
from sandbox import both

SHOW = 'pwd; echo x >made; cat made; ls -d . >/dev/null'


@both
class Places(sandbox.Case):
    def works(self, path):
        result = self.call(self.sbx, 'run', '--', 'sh', '-c', SHOW, cwd=path)
        self.assertEqual(self.ok(result), os.fsencode(os.path.realpath(path)) + b'\nx\n')
        self.assertTrue(os.path.exists(os.path.join(os.fsencode(path), b'made')))

    def test_names(self):
        for name in (' ', 'two  spaces', "quote'", 'double"', 'new\nline', '-dash', '--', '--bind', '*', '?[a]', '{a,b}', '$HOME', '`id`',
                     '\\', 'tab\t', '%s', 'a=b', 'a:b', 'a,b', '#', ';', '&', '\x01\x1b[31m', 'Projékt', '日本', b'\xff\xfe', 'd' * 255):
            path = os.path.join(os.fsencode(self.home), os.fsencode(name))
            os.mkdir(path)
            self.own()
            self.works(os.fsdecode(path))

    def test_deep(self):
        path = os.path.join(self.home, *['d%d' % n for n in range(200)])
        os.makedirs(path)
        self.own()
        self.works(path)

    def test_through_a_link(self):
        os.symlink(self.project, os.path.join(self.home, 'link'))
        env = self.environment(PWD=os.path.join(self.home, 'link'))
        self.ok(self.call(self.sbx, 'run', '--', 'touch', 'through', cwd=os.path.join(self.home, 'link'), env=env))
        self.assertTrue(os.path.exists(os.path.join(self.project, 'through')))

    def test_other_roots(self):
        """Places that the sandbox replaces or that are no home."""
        for root in ('/tmp', '/var/tmp', '/var/lib', '/srv', '/mnt', '/opt', '/dev/shm', '/home', '/media'):
            if not os.path.isdir(root) or not (os.access(root, os.W_OK)):
                continue
            path = tempfile.mkdtemp(prefix='sbx-e2e.', dir=root)
            self.addCleanup(shutil.rmtree, path, ignore_errors=True)
            if self.as_user:
                os.chown(path, sandbox.NOBODY, sandbox.NOBODY)
            with self.subTest(root):
                self.works(path)

    def test_another_file_system(self):
        if os.stat('/dev/shm').st_dev == os.stat(self.project).st_dev:
            self.skipTest('/dev/shm is on the same one')
        path = tempfile.mkdtemp(dir='/dev/shm')
        self.addCleanup(shutil.rmtree, path, ignore_errors=True)
        if self.as_user:
            os.chown(path, sandbox.NOBODY, sandbox.NOBODY)
        self.git('init', '-q', cwd=path)
        self.works(path)
        self.assertIn(b'made', self.ok(self.call(self.sbx, 'run', '--', 'git', 'status', '--porcelain', cwd=path)))

    @unittest.skipUnless(os.geteuid() == 0, 'a mount takes root')
    def test_a_mount_below_the_project(self):
        if self.as_user:
            self.skipTest('takes root')
        script = ('mkdir m && mount -t tmpfs none m && echo inner >m/file && mkdir r && mount -t tmpfs -o ro none r && '
                  'exec "$0" run -- sh -c "cat m/file; echo x >m/new; touch r/x 2>/dev/null || echo read-only; rm -f m/new"')
        out = self.ok(subprocess.run(['unshare', '-m', 'sh', '-c', script, self.sbx], cwd=self.project, env=self.environment(),
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60))
        self.assertEqual(out, b'inner\nread-only\n')

    def test_a_read_only_project(self):
        """The caller cannot write there: neither can the command, and reading works."""
        self.git('init', '-q')
        self.write('file', 'text\n')
        self.git('add', '-A')
        self.git('commit', '-q', '-m', 'first')
        if self.as_user:
            for at, _, files in os.walk(self.project):
                for name in [at] + [os.path.join(at, f) for f in files]:
                    os.chown(name, 0, 0)
            env = self.environment(GIT_CONFIG_COUNT='1', GIT_CONFIG_KEY_0='safe.directory', GIT_CONFIG_VALUE_0='*')
        else:
            env = self.environment()
        before = sorted(os.listdir(os.path.join(self.project, '.git')))
        self.assertEqual(self.ok(self.inside('cat', 'file', env=env)), b'text\n')
        if self.as_user:
            self.ok(self.shell('echo x >new 2>/dev/null', env=env), status=2)
        self.assertEqual(sorted(os.listdir(os.path.join(self.project, '.git'))), before)

    def test_a_hundred_thousand_files(self):
        for d in range(100):
            at = os.path.join(self.project, 'd%d' % d)
            os.mkdir(at)
            for n in range(1000):
                os.mknod(os.path.join(at, 'f%d' % n), 0o644)
        if self.as_user:
            os.chown(self.project, sandbox.NOBODY, sandbox.NOBODY)
        self.assertEqual(self.ok(self.shell('find . -type f | wc -l')).strip(), b'100000')


@both
class Callers(sandbox.Case):
    def test_builders(self):
        self.needs('make')
        self.write('Makefile', 'all: ' + ' '.join('t%d' % n for n in range(30)) + '\nt%:\n\t@echo $@ >$@.out\n')
        self.ok(self.inside('make', '-j8'))
        self.assertEqual(len([n for n in os.listdir(self.project) if n.endswith('.out')]), 30)
        out = self.ok(self.call('sh', '-c', 'seq 40 | xargs -P 8 -n 1 "$0" run -- echo', self.sbx))
        self.assertEqual(sorted(map(int, out.split())), list(range(1, 41)))
        out = self.ok(self.call('find', '.', '-name', 't1*.out', '-exec', self.sbx, 'run', '--', 'cat', '{}', ';'))
        self.assertEqual(len(out.split()), 11)
        out = self.ok(self.inside('find', '.', '-name', 't1*.out', '-exec', 'cat', '{}', '+'))
        self.assertEqual(len(out.split()), 11)

    def test_timeout_and_nohup_and_nice(self):
        self.assertEqual(self.call('timeout', '60', self.sbx, 'run', '--', 'sh', '-c', 'exit 3').returncode, 3)
        self.assertEqual(self.call('timeout', '1', self.sbx, 'run', '--', 'sleep', '1000').returncode, 124)
        self.assertEqual(self.call('nohup', self.sbx, 'run', '--', 'sh', '-c', 'exit 3').returncode, 3)
        self.assertEqual(self.ok(self.call('nice', '-n', '7', self.sbx, 'run', '--', 'nice')), self.ok(self.call('nice', '-n', '7', 'nice')))

    def test_like_cron(self):
        """No terminal, hardly any environment, nothing on stdin, a mailer that reads the output."""
        env = {'HOME': self.home, 'LOGNAME': 'dev', 'PATH': '/usr/bin:/bin', 'SHELL': '/bin/sh'}
        out = self.ok(self.call('setsid', '-w', '/bin/sh', '-c', '"$0" run -- sh -c "tty; echo $HOME"', self.sbx, env=env))
        self.assertEqual(out, b'not a tty\n' + os.fsencode(self.home) + b'\n')

    def test_like_a_service(self):
        """systemd: no HOME, no USER, its own variables, descriptors passed from number 3 on."""
        env = {'PATH': '/usr/bin:/bin', 'INVOCATION_ID': 'x', 'JOURNAL_STREAM': '8:1', 'NOTIFY_SOCKET': '/run/systemd/notify',
               'LISTEN_FDS': '1', 'LISTEN_PID': '1'}
        out = self.ok(self.call('setsid', '-w', self.sbx, 'run', '--', 'sh', '-c', 'env; echo ok', env=env))
        self.assertTrue(out.endswith(b'ok\n'))
        for name in env:
            if name != 'PATH':
                self.assertNotIn(name.encode(), out)

    def test_home_missing_or_odd(self):
        for home in (None, '', '/', '/nonexistent', 'relative', '/usr', '/etc/passwd'):
            env = self.environment()
            env.pop('HOME') if home is None else env.update(HOME=home)
            result = self.call(self.sbx, 'run', '--', 'sh', '-c', 'cd && touch there && echo ok', env=env)
            self.assertEqual(self.ok(result), b'ok\n', home)
        self.assertFalse(os.path.exists('/nonexistent'))

    def test_no_passwd_entry(self):
        if os.geteuid() != 0 or self.as_user:
            self.skipTest('takes root, once')
        with self.assertRaises(KeyError):
            pwd.getpwuid(54321)
        os.chown(self.project, 54321, 54321)
        os.chown(self.home, 54321, 54321)
        result = subprocess.run([self.sbx, 'run', '--', 'sh', '-c', 'id -u; touch made; echo ok'], cwd=self.project, env=self.environment(),
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                user=54321, group=54321, extra_groups=[])
        self.assertEqual(self.ok(result), b'54321\nok\n')

    @unittest.skipUnless(os.geteuid() == 0, 'takes root')
    def test_root_in_another_users_project(self):
        """The sandbox's root could not write there; saying so beats failing at random."""
        if self.as_user:
            self.skipTest('once')
        os.chown(self.project, 54321, 54321)
        os.chmod(self.project, 0o755)
        result = self.inside('touch', 'x')
        self.assertEqual(result.returncode, 125, result.stderr)
        self.assertIn(b'owner', result.stderr)

    def test_other_groups(self):
        """Supplementary groups still give access, as outside."""
        if os.geteuid() != 0 or not self.as_user:
            self.skipTest('takes root')
        path = self.write('group-file', 'for the group\n', 0o640)
        os.chown(path, 0, 54322)
        result = subprocess.run([self.sbx, 'run', '--', 'cat', 'group-file'], cwd=self.project, env=self.environment(),
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                user=sandbox.NOBODY, group=sandbox.NOBODY, extra_groups=[54322])
        self.assertEqual(self.ok(result), b'for the group\n')

    def test_a_limit_on_the_size_of_files_that_sbx_cannot_keep(self):
        done = self.call('sh', '-c', 'ulimit -f 0; exec "$0" run -- true', self.sbx)
        self.assertEqual(done.returncode, 125, done.stderr)
        self.assertIn(b'ulimit -f', done.stderr)
        self.ok(self.call('sh', '-c', 'ulimit -f 4096; exec "$0" run -- true', self.sbx))

    def test_umask_zero_and_low_limits(self):
        for limit in ('ulimit -n 64', 'ulimit -s 1024', 'ulimit -c 0', 'ulimit -f 10000', 'umask 777; umask 077'):
            out = self.ok(self.call('sh', '-c', limit + '; exec "$0" run -- echo ok', self.sbx))
            self.assertEqual(out, b'ok\n', limit)

    def test_a_umask_that_takes_the_owners_rights(self):
        """The command has it, this run works, and it leaves nothing that keeps the next one from starting."""
        for mask in ('0777', '0700', '0477', '0277', '0177'):
            result = self.call('sh', '-c', 'umask %s; exec "$0" run -- sh -c umask' % mask, self.sbx)
            self.assertEqual(self.ok(result), mask.encode() + b'\n')
            self.assertEqual(self.ok(self.inside('echo', 'next')), b'next\n', mask)
            held = self.call('sh', '-c', 'umask %s; exec "$0" held' % mask, self.sbx)
            self.assertEqual(held.returncode, 0, held.stderr)


if __name__ == '__main__':
    sandbox.main()
