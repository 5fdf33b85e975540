"""Each shipped profile with a command that it is made for."""
import os
import unittest

import sandbox
from sandbox import both


@both
class Profiles(sandbox.Case):
    def setUp(self):
        super().setUp()
        self.git('init', '-q')
        self.write('a.txt', 'one\n')
        self.git('add', '-A')
        self.git('commit', '-q', '-m', 'first')

    def with_profile(self, name, *words, status=0):
        return self.ok(self.inside(*words, flags=('--profile', name)), status)

    def test_default_and_pine(self):  # P54, P55
        with open(os.path.join(self.home, '.gitconfig'), 'w') as file:
            file.write('[user]\n\tname = Dev\n[alias]\n\tst = !touch ran\n')
        self.own()
        for name in ('default', 'pine'):
            self.assertIn(b'clean', self.with_profile(name, 'git', 'status'))
            # The user's own settings are not there (P55): an alias runs programs.
            settings = self.inside('git', 'config', '--global', '-l', flags=('--profile', name)).stdout
            self.assertEqual(settings, b'user.name=Dev\n' if name == 'default' else b'')
            self.with_profile(name, 'sh', '-c', 'sed s/one/two/ a.txt >b.txt && python3 -c "print(1)" && rm b.txt')

    def test_ci(self):  # P117
        out = self.with_profile('ci', 'sh', '-c', 'echo ok >out; echo evil >.git/hooks/post-commit; echo $SBX_TAINTED')
        self.assertEqual(out, b'1\n')
        self.assertFalse(os.path.exists(os.path.join(self.project, '.git', 'hooks', 'post-commit')))

    def test_untrusted(self):
        self.assertEqual(self.with_profile('untrusted', 'sh', '-c', 'cat a.txt; echo x >a.txt || true'), b'one\n')
        self.with_profile('untrusted', 'touch', 'new', status=1)

    def test_git_look(self):  # P49, P50
        marker = os.path.join(self.project, 'ran')
        hook = '#!/bin/sh\ntouch %s\n' % marker
        self.write('monitor', hook, 0o755)
        self.git('config', 'core.fsmonitor', os.path.join(self.project, 'monitor'))
        self.git('config', 'core.pager', 'touch ' + marker)
        self.write('a.txt', 'two\n')
        self.assertIn(b'a.txt', self.with_profile('git-look', 'git', 'status', '--short'))
        self.assertIn(b'+two', self.with_profile('git-look', 'git', 'diff', '--no-ext-diff', '--no-textconv'))
        self.assertFalse(os.path.exists(marker))
        self.with_profile('git-look', 'touch', 'new', status=1)

    def test_decode(self):  # P102
        out = self.with_profile('decode', 'sh', '-c', 'gzip -c a.txt >/tmp/a.gz && gzip -dc /tmp/a.gz; touch x || true')
        self.assertEqual(out, b'one\n')
        self.assertFalse(os.path.exists(os.path.join(self.project, 'x')))

    def network_of(self, name, *words):
        """The network namespace in which the profile's command runs."""
        return self.with_profile(name, 'readlink', '/proc/self/ns/net', *words)

    def kept(self, name, folder):
        """What a first run leaves in `folder` of its home is there in a second one, and not in the real home."""
        self.with_profile(name, 'sh', '-c', 'mkdir -p ~/%s && echo kept >~/%s/x' % (folder, folder))
        self.assertEqual(self.with_profile(name, 'cat', os.path.join(self.home, folder, 'x')), b'kept\n')
        self.assertFalse(os.path.exists(os.path.join(self.home, folder)))

    def test_network(self):
        host = os.readlink('/proc/self/ns/net').encode() + b'\n'
        for name in ('agent', 'node', 'python', 'rust', 'go'):
            self.assertEqual(self.network_of(name), host)
        for name in ('default', 'ci', 'untrusted', 'pine', 'git-look', 'decode'):
            self.assertNotEqual(self.network_of(name), host)

    def test_agent(self):  # its key, its settings and login, guarded instructions
        self.write('AGENTS.md', 'rules\n')
        with open(os.path.join(self.home, '.gitconfig'), 'w') as file:
            file.write('[user]\n\tname = Dev\n\temail = dev@example.invalid\n')
        self.own()
        env = self.environment(ANTHROPIC_API_KEY='key-of-the-agent', GITHUB_TOKEN='other')
        out = self.inside('sh', '-c', 'echo $ANTHROPIC_API_KEY$GITHUB_TOKEN; echo evil >>AGENTS.md; git add -A; '
                          'git commit -qm work', flags=('--profile', 'agent'), env=env)
        self.assertEqual(self.ok(out), b'key-of-the-agent\n')
        with open(os.path.join(self.project, 'AGENTS.md')) as file:
            self.assertEqual(file.read(), 'rules\n')
        self.kept('agent', '.config/some-agent')

    def test_node(self):
        self.needs('npm')
        self.write('dep/package.json', '{"name": "dep", "version": "1.0.0", "main": "m.js"}')
        self.write('dep/m.js', 'module.exports = 7\n')
        self.write('package.json', '{"name": "app", "version": "1.0.0", "dependencies": {"dep": "file:dep"}}')
        self.with_profile('node', 'npm', 'install', '--offline', '--no-audit', '--no-fund')
        self.assertEqual(self.with_profile('node', 'node', '-e', 'console.log(require("dep"))'), b'7\n')
        self.kept('node', '.npm')

    def test_python(self):
        self.write('m.py', 'print(3)\n')
        out = self.with_profile('python', 'sh', '-c', '/usr/bin/python3 m.py; echo $PIP_DISABLE_PIP_VERSION_CHECK')
        self.assertEqual(out, b'3\n1\n')
        self.kept('python', '.cache/pip')

    def test_rust(self):
        # rustup's layout: the compiler beside cargo, downloads below ~/.cargo.
        cargo = os.path.join(self.home, '.cargo', 'bin', 'cargo')
        os.makedirs(os.path.dirname(cargo))
        with open(cargo, 'w') as file:
            file.write('#!/bin/sh\nmkdir -p ~/.cargo/registry && echo x >>~/.cargo/registry/log && wc -l <~/.cargo/registry/log\n')
        os.chmod(cargo, 0o755)
        self.own()
        env = self.environment(PATH=os.path.dirname(cargo) + ':' + sandbox.PATH)
        for lines in (b'1\n', b'2\n'):
            out = self.inside('cargo', 'fetch', flags=('--profile', 'rust'), env=env)
            self.assertEqual(self.ok(out).strip() + b'\n', lines)
        self.assertFalse(os.path.exists(os.path.join(self.home, '.cargo', 'registry')))

    def test_go(self):
        self.needs('go')
        self.write('go.mod', 'module example.invalid/app\n')
        self.write('main.go', 'package main\n\nfunc main() { println("built") }\n')
        self.with_profile('go', 'go', 'build', '-o', 'app', '.')
        self.assertTrue(os.path.exists(os.path.join(self.project, 'app')))
        self.assertIn(b'go-build', self.with_profile('go', 'ls', os.path.join(self.home, '.cache')))

    def vm(self, name, *flags):
        """What Apple's tool would be given; it runs on a Mac only."""
        image = 'registry.test/guest@sha256:' + 'a' * 64
        out = self.inside('cmd', flags=('--profile', name, '--image', image, '--dry-run', *flags))
        return self.ok(out).decode()

    def test_web(self):  # T4, T12, T13
        out = self.vm('web')
        for option in ('--cap-drop ALL', '--read-only', '--env SANDBOX_PROFILE', '--cpus 2'):
            self.assertIn(option, out)
        self.assertNotIn(self.project, out)

        # Another image for one run (T38): it must be pinned as well.
        other = 'registry.test/other@sha256:' + 'b' * 64
        run = ('run', '--profile', 'web', '--dry-run', '--', 'cmd')
        self.assertIn(other, self.ok(self.run_sbx(*run, env=self.environment(SBX_IMAGE=other))).decode())
        refused = self.run_sbx(*run, env=self.environment(SBX_IMAGE='registry.test/other:latest'))
        self.assertEqual(refused.returncode, 125)
        self.assertIn(b'SBX_IMAGE: error: image must be pinned by digest', refused.stderr)

    def test_files(self):  # T5, T15, T58, T60, T82
        os.mkdir(os.path.join(self.home, 'docs'))
        self.own()
        self.write('vm.toml', 'extends = ["files"]\n[[vm.folders]]\npath = "~/docs"\n'
                   'id = "0123abcd-0123-0123-0123-0123456789ab"\n')
        out = self.vm('default', '--policy', 'vm.toml')
        self.assertIn('--no-dns --network none', out)
        self.assertIn('source=%s,target=/files/0123abcd-0123-0123-0123-0123456789ab,readonly' %
                      os.path.join(self.home, 'docs'), out)
        self.assertNotIn(self.project, out)

    def test_every_profile_is_tested(self):
        listed = [line.split()[0] for line in self.ok(self.run_sbx('profiles')).decode().splitlines()]
        for name in listed:
            tests = [test for test in dir(self) if name.replace('-', '_') in test]
            self.assertTrue(tests, name)

    # H9, H10
    def test_tatu(self):  # C11: the home readable without its secrets, project folders writable
        os.makedirs(os.path.join(self.home, 'dev', 'app'))
        os.makedirs(os.path.join(self.home, '.ssh'))
        with open(os.path.join(self.home, '.ssh', 'id_rsa'), 'w') as file:
            file.write('PRIVATE')
        with open(os.path.join(self.home, 'notes'), 'w') as file:
            file.write('notes')
        self.own()
        # The test's own home lies in a temporary folder, of which the profile grants /tmp/tatu only.
        policy = self.write('tatu.toml', 'extends = ["tatu"]\nzones.strictTmp = ""\n')
        out = self.call(self.sbx, 'run', '--policy', policy, '--', 'sh', '-c',
                        'cat ~/notes; cat ~/.ssh/id_rsa; echo x >made; echo x >~/made',
                        cwd=os.path.join(self.home, 'dev', 'app'))
        self.assertIn(b'notes', out.stdout)
        self.assertNotIn(b'PRIVATE', out.stdout)
        self.assertTrue(os.path.exists(os.path.join(self.home, 'dev', 'app', 'made')))
        self.assertFalse(os.path.exists(os.path.join(self.home, 'made')))

    def test_fusion(self):  # C1: native, and said so
        out = self.inside('true', flags=('--profile', 'fusion'))
        self.assertEqual(out.returncode, 0, out.stderr)
        self.assertIn(b'without a sandbox', self.ok(self.run_sbx('check', '--profile', 'fusion')))


if __name__ == '__main__':
    sandbox.main()
