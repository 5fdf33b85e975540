"""Where sbx runs: links, odd paths, other people's folders, what of the system shows, limits, hints."""
import os
import pty
import shutil
import subprocess
import unittest

import sandbox
from sandbox import both


@both
class Places(sandbox.Case):
    def test_home_and_cwd_through_links(self):
        os.symlink(self.home, os.path.join(self.base, 'h'))
        os.symlink('h/project', os.path.join(self.base, 'p'))
        env = self.environment(HOME=os.path.join(self.base, 'h'), PWD=os.path.join(self.base, 'p'))
        script = 'pwd; echo "$HOME"; cd "$HOME" && cd "$PWD" && pwd; cd %s/p && pwd -P && echo x >made' % self.base
        outside = self.ok(self.call('sh', '-c', script, env=env, cwd=os.path.join(self.base, 'p')))
        os.unlink(os.path.join(self.project, 'made'))
        self.assertEqual(self.ok(self.shell(script, env=env, cwd=os.path.join(self.base, 'p'))), outside)
        self.assertTrue(os.path.exists(os.path.join(self.project, 'made')))

    def test_odd_paths(self):
        deep = '/'.join(['d'] * 200)
        for name in ('new\nline', '-rf', 'quo"te\'s', '*?[a]', b'\xff\xfe'.decode('utf-8', 'surrogateescape'),
                     '\\back', deep):
            path = os.path.join(self.home, name)
            os.makedirs(path)
            self.own()
            out = self.ok(self.inside('sh', '-c', 'pwd; echo x >made; echo y >"$PWD/again"', cwd=path))
            self.assertEqual(os.fsdecode(out), path + '\n')
            self.assertEqual(sorted(os.listdir(path)), ['again', 'made'])

    def test_caller_without_home_or_name(self):
        env = {'PATH': sandbox.PATH}
        self.assertEqual(self.ok(self.shell('echo $HOME && touch $HOME/x', env=env)), b'/home/sbx\n')
        for home in ('', '/', '/nonexistent', 'relative'):
            self.ok(self.shell('touch $HOME/x', env={'PATH': sandbox.PATH, 'HOME': home}))

    def test_read_only_project(self):
        self.write('file', 'text')
        os.chmod(self.project, 0o555)
        if self.as_user:
            os.chown(self.project, 0, 0)
            self.assertEqual(self.ok(self.inside('cat', 'file')), b'text')
            self.assertNotEqual(self.shell('echo x >new').returncode, 0)
        os.chmod(self.project, 0o755)

    @unittest.skipIf(os.geteuid() != 0, 'needs root')
    def test_root_in_the_folder_of_another(self):
        if self.as_user:
            return
        os.chown(self.project, sandbox.NOBODY, sandbox.NOBODY)
        result = self.inside('true')
        self.ok(result, 125)
        self.assertIn(b'run as the owner', result.stderr)

    def test_parent_directories_can_be_passed(self):
        out = self.ok(self.shell('stat -c %%a / /var /sys %s' % self.base))
        self.assertEqual(out.split(), [b'755'] * 4)

    def test_created_and_optional_grants(self):
        policy = self.write('p.toml', '[sandbox]\nallowedWritePaths = ["+~/a/b", "?~/none"]\n')
        self.ok(self.shell('echo x >~/a/b/made; ! ls ~/none', flags=('--policy', policy)))
        made = os.path.join(self.home, 'a/b')
        self.assertTrue(os.path.exists(os.path.join(made, 'made')))
        self.assertEqual(os.stat(made).st_mode & 0o7777, 0o700)
        self.assertFalse(os.path.exists(os.path.join(self.home, 'none')))


@both
class System(sandbox.Case):
    def test_nothing_of_etc_that_is_not_for_everybody(self):
        script = 'find /etc -type f -exec sh -c \'for f; do cat "$f" >/dev/null 2>&1 && echo "$f"; done\' sh {} + 2>/dev/null; true'
        seen = self.ok(self.shell(script)).decode().split('\n')
        for path in filter(None, seen):
            self.assertTrue(os.stat(path).st_mode & 0o004, path)
            at = os.path.dirname(path)
            while at != '/':
                self.assertTrue(os.stat(at).st_mode & 0o001, at)
                at = os.path.dirname(at)
        self.assertIn('/etc/passwd', seen)

    def test_minimal(self):
        policy = self.write('p.toml', '[sandbox]\nsystemRead = "minimal"\n')
        self.ok(self.shell('test ! -e /opt && test ! -e /etc/shadow && test ! -e /etc/ssl/private', flags=('--policy', policy)))
        users = self.ok(self.inside('cat', '/etc/passwd', flags=('--policy', policy)))
        self.assertLessEqual(users.count(b'\n'), 3)
        name = self.ok(self.shell('id -un', flags=('--policy', policy)))
        self.assertEqual(name, b'dev\n' if self.as_user else b'root\n')
        self.ok(self.inside('python3', '-c', 'import ssl; ssl.create_default_context()', flags=('--policy', policy)))

    def test_full(self):
        policy = self.write('p.toml', '[sandbox]\nsystemRead = "full"\n')
        secret = os.path.join(self.base, 'private')
        with open(secret, 'w') as file:
            file.write('x')
        os.chmod(secret, 0o600)
        many = os.path.join(self.base, 'many')
        os.mkdir(many)
        for number in range(3000):  # what the private /var/tmp replaces need not be hidden one by one
            os.close(os.open(os.path.join(many, str(number)), os.O_CREAT, 0o600))
        script = ('ls /var/lib >/dev/null && ! cat %s 2>/dev/null && test -z "$(ls -A /root /home /run /tmp 2>/dev/null '
                  '| grep -v : | grep .)"; ! touch /var/lib/x 2>/dev/null && touch /var/tmp/x' % secret)
        self.ok(self.shell(script, flags=('--policy', policy)))

    @unittest.skipIf(os.geteuid() != 0, 'needs root to lay another /etc over this one')
    def test_links_out_of_etc(self):
        if self.as_user:
            return
        upper, work, run = (os.path.join(self.base, name) for name in ('upper', 'work', 'run'))
        for path in (upper, work, run):
            os.mkdir(path)
        os.symlink('../run/resolver/stub.conf', os.path.join(upper, 'resolv.conf'))
        setup = ('mount -t overlay overlay -o lowerdir=/etc,upperdir=%s,workdir=%s /etc && mount --bind %s /run && '
                 'mkdir -p /run/resolver && echo "nameserver 192.0.2.1" >/run/resolver/stub.conf && ' % (upper, work, run))
        def seen(flags):
            command = setup + 'exec %s run %s -- cat /etc/resolv.conf' % (self.sbx, flags)
            return self.call('unshare', '-m', 'sh', '-c', command)
        if b'mount' in seen('').stderr:
            self.skipTest('no overlay here')
        self.assertEqual(self.ok(seen('--network on')), b'nameserver 192.0.2.1\n')
        self.assertEqual(self.ok(seen('')), b'# The network is off.\n')


@both
class Limits(sandbox.Case):
    def policy(self, text):
        return ('--policy', self.write('limits.toml', '[limits]\n' + text + '\n'))

    def test_runtimes_start_under_one_gibibyte(self):
        flags = self.policy('memory = "1GiB"')
        for tool, command in (('node', 'node -p 6*7'), ('java', 'java -version'), ('go', 'go version'),
                              ('python3', 'python3 -c "print(42)"')):
            if shutil.which(tool, path=sandbox.PATH):
                self.ok(self.shell(command, flags=flags))

    def test_memory_is_limited(self):
        flags = self.policy('memory = "256MiB"')
        self.assertNotEqual(self.inside('python3', '-c', 'x = b"x" * (1 << 29)', flags=flags).returncode, 0)
        self.ok(self.inside('python3', '-c', 'x = b"x" * (1 << 26)', flags=flags))

    def test_processes(self):
        flags = self.policy('processes = 20')
        script = 'import os\nn = 0\ntry:\n  for i in range(100):\n    if os.fork() == 0: os.read(r, 1); os._exit(0)\n' \
                 '    n += 1\nexcept OSError: pass\nprint(n)'
        result = self.inside('python3', '-c', 'import os\nr, w = os.pipe()\n' + script, flags=flags)
        if result.returncode == 125:
            self.assertIn(b'limits.processes', result.stderr)
            return
        self.assertEqual(self.ok(result), b'19\n')
        # As many as before for the next run: nothing is counted that ran elsewhere.
        self.assertEqual(self.ok(self.inside('python3', '-c', 'import os\nr, w = os.pipe()\n' + script, flags=flags)),
                         b'19\n')

    @unittest.skipIf('cpu' in open('/proc/cgroups').read() and os.path.exists('/sys/fs/cgroup/cgroup.controllers'),
                     'a quota may take the place of the bound')
    def test_cpus(self):
        flags = self.policy('cpus = 1')
        self.assertEqual(self.ok(self.inside('nproc', flags=flags)), b'1\n')

    def test_file_size_says_so(self):
        flags = self.policy('fileSize = "1MiB"')
        result = self.inside('sh', '-c', 'exec dd if=/dev/zero of=big bs=1M count=4', flags=flags)
        self.assertLess(result.returncode, 0)
        self.assertIn(b'limits.fileSize', result.stderr)
        self.assertEqual(os.path.getsize(os.path.join(self.project, 'big')), 1 << 20)

    def test_no_groups_are_left(self):
        self.inside('true', flags=self.policy('processes = 50'))
        out = subprocess.run(['find', '/sys/fs/cgroup', '-name', 'sbx-*'], stdout=subprocess.PIPE).stdout
        mine = [line for line in out.split() if not os.path.exists('/proc/' + line.decode().rsplit('-', 1)[1])]
        self.assertEqual(mine, [])


@both
class Hints(sandbox.Case):
    def at_terminal(self, *words):
        """Standard error of a run with a terminal there."""
        master, slave = pty.openpty()
        process = subprocess.Popen([self.sbx, *words], cwd=self.project, env=self.environment(), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=slave, start_new_session=True, **self.identity())
        os.close(slave)
        out = b''
        try:
            while True:
                part = os.read(master, 4096)
                if not part:
                    break
                out += part
        except OSError:
            pass  # the last writer has closed it
        process.wait()
        os.close(master)
        return out.decode()

    def test_a_path_that_exists_outside_only(self):
        path = os.path.join(self.home, 'notes')
        with open(path, 'w') as file:
            file.write('x')
        self.own()
        out = self.at_terminal('run', '--', 'cat', path)
        self.assertIn('%s exists, but the command cannot see it' % path, out)
        self.assertIn('--read ' + path, out)
        self.assertNotIn('exists, but', self.at_terminal('run', '--quiet', '--', 'cat', path))
        self.assertNotIn('exists, but', self.at_terminal('run', '--', 'test', '!', '-e', path))
        self.assertNotIn(b'exists, but', self.inside('cat', path).stderr)
        self.assertNotIn('sbx:', self.at_terminal('run', '--', 'cat', path + '-missing'))

    def test_a_read_only_path(self):
        shared = os.path.join(self.home, 'shared')
        os.mkdir(shared)
        self.own()
        out = self.at_terminal('run', '--read', shared, '--', 'touch', shared + '/../shared')
        self.assertIn('is read-only inside: sandbox.allowedReadPaths (--read)', out)
        self.assertIn('--write ' + shared, out)

    def test_guarded_git_files(self):
        self.git('init', '-q')
        self.assertIn('--allow-git-config', self.at_terminal('run', '--', 'git', 'config', 'user.name', 'x'))
        self.assertIn('--allow-git-config', self.at_terminal('run', '--', 'touch', '.git/config'))
        self.assertIn('hooks is read-only inside: guards.git', self.at_terminal('run', '--', 'touch', '.git/hooks/new'))
        for words in (('git', 'config', 'user.name'), ('git', 'config', '--get', 'no.such'), ('touch', 'fine'),
                      ('sh', '-c', 'exit 4')):
            self.assertNotIn('sbx:', self.at_terminal('run', '--', *words))


if __name__ == '__main__':
    sandbox.main()
