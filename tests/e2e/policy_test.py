"""The policy language through the real executable: layers, trust, zones, profiles and the commands that answer."""
import json
import os
import unittest

import sandbox
from sandbox import both


@both
class Language(sandbox.Case):
    def setUp(self):
        super().setUp()
        self.git('init', '-q')

    def config(self, text):
        """The user's own policy."""
        path = os.path.join(self.home, '.config', 'sbx', 'sbx.toml')
        os.makedirs(os.path.dirname(path), mode=0o700)
        with open(path, 'w') as file:
            file.write(text)
        os.chmod(path, 0o600)
        self.own()
        return path

    def refused(self, result, *texts, status=125):
        self.assertEqual(result.returncode, status, result.stderr)
        for text in texts:
            self.assertIn(text, result.stderr.decode())
        return result.stderr.decode()

    def test_bad_policy_files(self):
        self.refused(self.inside('true', flags=('--policy', 'nothing.toml')), 'nothing.toml: error: there is no such file')
        self.refused(self.inside('true', flags=('--policy', '.')), '.: error: is a directory')
        self.write('bad.toml', b'# \xff\n')
        self.refused(self.inside('true', flags=('--policy', 'bad.toml')), 'not UTF-8')
        self.write('big.toml', '#' * 65537)
        self.refused(self.inside('true', flags=('--policy', 'big.toml')), 'larger than 64 KiB')
        self.write('p.toml', '[sandbox]\nnetwrok = "on"\nread = ["../x"]\n')
        self.refused(self.inside('touch', 'made', flags=('--policy', 'p.toml')),
                     'p.toml:2:1: error: unknown key "sandbox.netwrok"', 'hint: did you mean "network"?',
                     'p.toml:3:9: error: Path traversal detected: ../x', '2 errors in the policy; nothing was run')
        self.assertFalse(os.path.exists(os.path.join(self.project, 'made')))

    def test_command_line(self):
        self.refused(self.run_sbx('run'), 'no command was given')
        self.refused(self.run_sbx('run', '--'), 'no command was given')
        self.refused(self.run_sbx('run', ''), "the command's name is empty")
        self.refused(self.run_sbx('run', '--bind'), 'unknown option --bind')
        self.refused(self.run_sbx('run', '--', '--bind'), '--bind: command not found', status=127)
        self.refused(self.run_sbx('run', '--profile', '', '--', 'true'), 'there is no profile ""')
        self.refused(self.run_sbx('run', '--keep-fd', 'x', '--', 'true'), 'is not a descriptor number')
        self.refused(self.run_sbx('runn', 'ls'), 'did you mean sbx run?', status=2)
        self.refused(self.run_sbx(), 'what should be done?', status=2)
        self.assertTrue(self.ok(self.run_sbx('--version')).startswith(b'sbx '))
        self.assertIn(b'--read PATH', self.ok(self.run_sbx('run', '--help')))
        self.assertIn(b'sbx run -- npm test', self.ok(self.run_sbx('--help')))

    def test_project_policy_narrows_and_trust_widens(self):  # P62, C32
        outside = os.path.join(self.home, 'data')
        os.mkdir(outside)
        self.own()
        self.write('sbx.toml', '[sandbox]\nallowedWritePaths = ["~/data"]\n')
        probe = ('sh', '-c', 'echo x >%s/new' % outside)
        self.refused(self.inside(*probe), 'may only narrow', 'sbx trust sbx.toml')
        self.ok(self.run_sbx('trust'))
        self.ok(self.inside(*probe))
        self.assertTrue(os.path.exists(os.path.join(outside, 'new')))
        self.assertIn(b'trusted', self.ok(self.run_sbx('trust', '--list')))
        self.write('sbx.toml', '[sandbox]\nallowedWritePaths = ["~/data"]  \n')
        self.refused(self.inside(*probe), 'may only narrow', 'has changed since you trusted it')
        self.assertIn(b'changed', self.ok(self.run_sbx('trust', '--list')))
        self.ok(self.run_sbx('trust', 'sbx.toml'))
        self.ok(self.run_sbx('trust', '--revoke', 'sbx.toml'))
        self.refused(self.inside(*probe), 'may only narrow')
        self.ok(self.inside(*probe, flags=('--policy', 'sbx.toml')))

    def test_refused_project_policies(self):
        path = self.write('sbx.toml', '')
        os.chmod(path, 0o664)
        self.refused(self.inside('true'), 'sbx.toml: error: other users can write this policy')
        self.refused(self.run_sbx('trust'), 'other users can write', status=1)
        os.unlink(path)
        os.symlink('elsewhere', path)
        self.refused(self.inside('true'), 'may not be a symbolic link')

    def test_policy_in_use_is_read_only_inside(self):  # P51
        self.write('sbx.toml', '[sandbox]\nnetwork = "off"\n')
        result = self.shell('echo >>sbx.toml; rm -f sbx.toml; mv sbx.toml x; cat sbx.toml')
        self.assertIn(b'network', result.stdout)
        with open(os.path.join(self.project, 'sbx.toml')) as file:
            self.assertEqual(file.read(), '[sandbox]\nnetwork = "off"\n')

    def test_layers_and_origins(self):  # F28
        self.config('[limits]\nprocesses = 50\n[sandbox]\nsystemRead = "minimal"\n')
        self.write('sbx.toml', '[limits]\nprocesses = 40\n')
        out = self.ok(self.run_sbx('explain', '--open-files', '100')).decode()
        self.assertRegex(out, r'limits\.processes = 40 +sbx\.toml:2:13')
        self.assertRegex(out, r'limits\.openFiles = 100 +--open-files')
        self.assertRegex(out, r'sandbox\.systemRead = "minimal" +\S+/\.config/sbx/sbx\.toml:4:14')

    # P89
    def test_grants_and_refusals(self):  # P46, P91, F43, H3
        for flag, path, message in (
                ('--read', '/etc', 'Path in DENIED zone: /etc (/etc)'),
                ('--read', '~/.ssh', '.ssh (.ssh/*)'),
                ('--write', '.fusion/tasks', 'Sandbox policy cannot include writable paths under .fusion/.'),
                ('--write', '~/.config', "holds sbx's own files"),
                ('--read', '/', 'Choose a specific folder rather than the whole disk.'),
                ('--write', '/tmp', 'Path in DENIED zone: /tmp (/tmp)'),
                ('--read', 'a/../b', 'Path traversal detected')):
            self.refused(self.inside('true', flags=(flag, path)), flag + ':', message)
        link = os.path.join(self.project, 'link')
        os.symlink('/etc', link)
        self.refused(self.inside('true', flags=('--read', 'link')), 'Path in DENIED zone: /etc (/etc)')  # H20, H49

    def test_created_and_optional_grants(self):
        target = os.path.join(self.home, 'new', 'cache')
        self.ok(self.inside('touch', target + '/x', flags=('--write', '+~/new/cache')))
        self.assertTrue(os.path.exists(target + '/x'))
        self.assertEqual(os.stat(target).st_mode & 0o777, 0o700)
        # It holds for that one run (P44, P90).
        self.inside('touch', target + '/y')
        self.assertEqual(os.listdir(target), ['x'])
        self.assertEqual(self.inside('true', flags=('--read', '?~/none')).stderr, b'')
        self.assertIn(b'does not exist; skipped', self.inside('true', flags=('--read', '~/none')).stderr)  # C17
        self.refused(self.inside('true', flags=('--read', '~/none', '--strict')), 'does not exist', '--strict')

    def test_read_grant_that_shows_sbx_hides_it(self):  # P32
        self.config('')
        out = self.shell('cat ~/.config/other; ls ~/.config/sbx', flags=('--read', '~/.config'))
        self.assertIn(b'Permission denied', out.stderr)
        self.assertNotIn(b'sbx.toml', out.stdout)

    def test_fusion_state_is_read_only(self):  # F25, C13
        self.write('.fusion/fusion.db', 'state')
        self.shell('echo x >.fusion/fusion.db; rm -rf .fusion; mv .fusion y')
        with open(os.path.join(self.project, '.fusion', 'fusion.db')) as file:
            self.assertEqual(file.read(), 'state')

    # P114, P140
    def test_modes(self):  # P86, P88, P109, P110, P66
        self.refused(self.inside('true', flags=('--mode', 'manual'), start_new_session=True), 'no terminal to ask on')
        bypass = self.inside('cat', '/proc/self/mountinfo', flags=('--mode', 'bypass', '--tainted'))
        self.assertIn(b'bypass (paused)', bypass.stderr)
        self.refused(self.inside('true', flags=('--tainted', '--network', 'on')), '--allow-tainted-network')
        self.assertEqual(self.ok(self.inside('sh', '-c', 'echo $SBX_TAINTED', flags=('--tainted',))), b'1\n')
        env = self.environment(SBX_TAINTED='1')
        self.assertEqual(self.ok(self.inside('sh', '-c', 'echo $SBX_TAINTED', env=env)), b'1\n')
        self.refused(self.inside('true', flags=('--network', 'on'), env=env), 'SBX_TAINTED')

    def test_untrusted_writes_nothing(self):  # P13
        out = self.shell('touch here; touch ~/home-is-private && touch /tmp/x && echo private', flags=('--untrusted',))
        self.assertIn(b'private', out.stdout)
        self.assertFalse(os.path.exists(os.path.join(self.project, 'here')))

    def test_folder(self):  # P43
        other = os.path.join(self.home, 'other')
        os.mkdir(other)
        self.own()
        self.assertEqual(self.ok(self.inside('sh', '-c', 'touch made && pwd', flags=('--folder', '../other'))).decode(),
                         other + '\n')
        self.assertTrue(os.path.exists(other + '/made'))

    # P129
    def test_secrets_are_redacted(self):  # P130, C33
        env = self.environment(GITHUB_TOKEN='ghp_verysecret123')
        self.write('.env', 'DB_PASSWORD="dotenv-secret-1"\n')
        out = self.run_sbx('explain', '--env', 'GITHUB_TOKEN', 'ghp_verysecret123', 'dotenv-secret-1', env=env)
        self.assertNotIn(b'ghp_verysecret123', out.stdout + out.stderr)
        self.assertNotIn(b'dotenv-secret-1', out.stdout + out.stderr)
        self.assertIn(b'[redacted]', self.ok(out))

    def test_check_looks_at_shared_folders(self):  # T61, T67, T72, T73, T92
        os.makedirs(os.path.join(self.project, 'docs'))
        os.makedirs(os.path.join(self.project, 'locked'), mode=0o000)
        os.symlink('docs', os.path.join(self.project, 'link'))
        self.write('plain', 'x')
        text = '[sandbox]\nbackend = "container"\n[vm]\nprofile = "files"\n[[vm.folders]]\npath = "%s"\n'
        cases = {'docs': None, 'none': 'not_found', 'link': 'not_a_file', 'plain': 'invalid_folder', 'docs/': None}
        if self.as_user or os.geteuid() != 0:
            cases['locked'] = 'folder_unreadable'
        ids = set()
        for name, code in cases.items():
            self.write('p.toml', text % os.path.join(self.project, name))
            answer = json.loads(self.ok(self.run_sbx('check', '--json', 'p.toml'), status=0 if code is None else 1))
            self.assertEqual([error['error']['code'] for error in answer['errors']], [] if code is None else [code], name)
            if code is None:
                ids.update(answer['folders'])
        self.assertRegex(ids.pop(), '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$')
        self.assertEqual(ids, set(), 'the same folder has the same id')

    def test_check(self):  # P148, T67, T89
        self.assertEqual(self.ok(self.run_sbx('check')), b'No security notes\n')
        self.write('p.toml', '[sandbox]\nbackend = "native"\n')
        out = self.ok(self.run_sbx('check', 'p.toml')).decode()
        self.assertEqual(out, 'note: backend native: commands run without a sandbox (p.toml:2:11)\n')
        self.ok(self.run_sbx('check', '--strict', 'p.toml'), status=1)
        self.write('bad.toml', 'x = 1\n')
        answer = json.loads(self.ok(self.run_sbx('check', '--json', 'bad.toml'), status=1))
        self.assertEqual(answer['errors'][0]['error']['code'], 'unknown_key')
        self.assertEqual(answer['errors'][0]['error']['line'], 1)
        missing = json.loads(self.ok(self.run_sbx('check', '--json', 'none.toml'), status=1))
        self.assertEqual(missing['errors'][0]['error']['code'], 'not_found')
        self.config('[sandbox]\n')
        os.chmod(os.path.join(self.home, '.config', 'sbx', 'sbx.toml'), 0o644)
        self.assertIn(b'can be read by other users', self.ok(self.run_sbx('check')))  # P133

    def test_instruction_files(self):  # P52, P68 to P73, P80
        names = ('AGENTS.md', 'SOUL.md', 'MEMORY.md', 'USER.md', 'CLAUDE.md', '.pi/x', '.agents/x')
        other = os.path.join(self.home, 'other')
        os.mkdir(other)
        for name in names:
            self.write(name, 'mine\n')
            path = os.path.join(other, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, 'w') as file:
                file.write('mine\n')
        self.own()
        script = 'for f in %s notes.md; do echo theirs >>$f; echo theirs >>~/other/$f; done; true' % ' '.join(names)

        def changed():
            found = set()
            for root in (self.project, other):
                for name in (*names, 'notes.md'):
                    with open(os.path.join(root, name)) as file:
                        if 'theirs' in file.read():
                            found.add((root, name))
            return found

        self.shell(script, flags=('--write', other, '--tainted'))
        self.assertEqual(changed(), {(self.project, 'notes.md'), (other, 'notes.md')})
        self.shell(script, flags=('--write', other))
        self.assertEqual(changed(), {(root, name) for root in (self.project, other) for name in (*names, 'notes.md')})

    def test_persistent_homes(self):  # P28, P33, P93, C15
        flags = ('--home', 'persistent')
        self.ok(self.shell('echo one >~/.login', flags=flags))
        self.assertEqual(self.ok(self.shell('cat ~/.login', flags=flags)), b'one\n')
        self.ok(self.shell('test ! -e ~/.login && echo two >~/.login', flags=(*flags, '--id', 'other')))
        self.assertEqual(self.ok(self.shell('cat ~/.login', flags=flags)), b'one\n')
        self.assertFalse(os.path.exists(os.path.join(self.home, '.login')))
        kept = os.path.join(self.home, '.local', 'state', 'sbx', 'sandbox')
        self.assertEqual(len(os.listdir(kept)), 2)
        self.assertEqual({os.stat(os.path.join(kept, name)).st_mode & 0o777 for name in ['.', *os.listdir(kept)]}, {0o700})
        # Nobody else's, and never an untrusted run's (P15).
        self.assertNotIn(b'one', self.shell('cat ~/.login; cat %s/*/.login' % kept, flags=('--untrusted', *flags)).stdout)
        self.refused(self.inside('true', flags=(*flags, '--id', '../x')), 'is not a name')

    def test_a_kept_home_is_no_way_out(self):
        with open(os.path.join(self.home, '.gitconfig'), 'w') as file:
            file.write('[user]\n\tname = Someone\n')
        for name in ('other', 'outside'):
            os.mkdir(os.path.join(self.home, name))
        self.own()
        flags = ('--home', 'persistent', '--id', 'shared')
        # What one command leaves in the home lies in the way of the next one's mounts.
        self.ok(self.shell('rm -rf ~/project && ln -s %s/outside ~/project && ln -sf %s/outside/file ~/.gitconfig && '
                           'ln -s %s/outside ~/.cargo' % ((self.home,) * 3), flags=(*flags, '--folder', '../other')))
        self.refused(self.shell('touch x', flags=flags), 'shared/project is in the way of ' + self.project, '--id NAME')
        kept = os.path.join(self.home, '.local', 'state', 'sbx', 'sandbox', 'shared')
        os.unlink(os.path.join(kept, 'project'))
        self.assertEqual(self.ok(self.shell('git config user.name; touch x', flags=flags)), b'Someone\n')
        self.assertTrue(os.path.exists(os.path.join(self.project, 'x')))
        self.assertEqual(os.listdir(os.path.join(self.home, 'outside')), [])
        # Only the home itself is kept, and at its own place alone.
        self.assertEqual(self.ok(self.shell('ls -A /run/.sbx-home; ls -A ~/project', flags=flags)), b'.git\nx\n')
        os.chmod(kept, 0o755)
        self.refused(self.shell('true', flags=flags), 'does not belong to you alone')

    def test_runs_share_a_kept_home(self):
        flags = ('--home', 'persistent')
        runs = [self.start_inside('sh', '-c', 'echo %d >~/%d; git status -s' % (n, n), flags=flags) for n in range(8)]
        for run in runs:
            out, err = run.communicate(timeout=100)
            self.assertEqual((run.returncode, err), (0, b''))
        self.assertEqual(self.ok(self.shell('cat ~/[0-7] | wc -l', flags=flags)).strip(), b'8')

    def test_fallback_native(self):  # F4, F48, C24
        absent = ('--backend', 'sandbox-exec')  # does not exist on Linux
        fallback = self.config('[sandbox]\nfailureMode = "fallback-native"\n')
        for quiet in ((), ('--quiet',)):
            done = self.inside('sh', '-c', 'readlink /proc/self/ns/net', flags=(*absent, *quiet))
            self.assertEqual(self.ok(done).decode(), os.readlink('/proc/self/ns/net') + '\n')
            self.assertIn(b'sbx: no sandbox: sandbox-exec is not available here (not-darwin)', done.stderr)
        # Not when it is there, not in guarded runs, not for a policy with a mistake, not for a guest.
        self.assertNotEqual(self.ok(self.inside('readlink', '/proc/self/ns/net')).decode(), os.readlink('/proc/self/ns/net') + '\n')
        for flags in (('--tainted',), ('--untrusted',)):
            self.refused(self.inside('touch', 'made', flags=(*absent, *flags)), 'sandbox-exec')
        self.refused(self.inside('touch', 'made', flags=(*absent, '--read', '/etc')), 'DENIED')
        self.refused(self.inside('touch', 'made', flags=('--backend', 'container', '--image', 'x@sha256:' + 'a' * 64)))
        self.assertFalse(os.path.exists(os.path.join(self.project, 'made')))
        self.assertIn(b'(deny default)', self.ok(self.run_sbx('explain', *absent)))
        # A project cannot ask for it.
        os.unlink(fallback)
        self.write('sbx.toml', '[sandbox]\nfailureMode = "fallback-native"\n')
        self.refused(self.inside('touch', 'made', flags=absent), 'may only narrow')

    def test_every_mistake_at_once(self):
        self.write('p.toml', '[sandbox]\nallowedWritePaths = ["/etc", "~/.ssh/x", ".fusion/tasks", "/"]\n'
                   'allowedReadPaths = ["/proc/self/mem"]\nallowedPorts = [4040]\nnetwrok = 1\n'
                   '[vm]\nimage = "debian"\npublish = "0.0.0.0:1:2"\nallowHosts = ["-x"]\ndns = ["y"]\n')
        for words in (('check', 'p.toml'), ('run', '--policy', 'p.toml', '--', 'touch', 'made')):
            result = self.run_sbx(*words)
            said = self.refused(result, 'p.toml:2:22: error: Path in DENIED zone: /etc (/etc)', '~/.ssh',
                                'Sandbox policy cannot include writable paths under .fusion/.',
                                'Choose a specific folder rather than the whole disk.',
                                'p.toml:3:21: error: Path in DENIED zone: /proc', '/mem (/proc)',
                                'p.toml:4:17: error: Port 4040 is reserved and cannot be allowed in sandbox policy.',
                                'unknown key "sandbox.netwrok"', 'image must be pinned by digest', 'vm.publish must be',
                                'is not a host name', 'is not an address', status=1 if words[0] == 'check' else 125)
            self.assertEqual(said.count(': error: '), 11)
            self.assertIn('    allowedWritePaths = ["/etc", "~/.ssh/x", ".fusion/tasks", "/"]\n                         ^\n', said)
        self.assertFalse(os.path.exists(os.path.join(self.project, 'made')))

    def test_check_of_a_guest(self):  # C6, T93, T94, T99, T101
        docs = os.path.join(self.home, 'docs')
        os.mkdir(docs)
        with open(os.path.join(docs, 'server.pem'), 'w') as file:
            file.write('key')
        self.own()
        self.write('vm.toml', 'extends = ["files"]\nvm.folders = [{ path = "~/docs" }]\n')
        said = self.ok(self.run_sbx('check', 'vm.toml')).decode()
        self.assertIn('the files profile hides nothing in vm.folders, secrets included: %s/server.pem' % docs, said)
        self.assertIn('hard link', said)
        os.unlink(os.path.join(docs, 'server.pem'))
        self.assertNotIn('secrets included', self.ok(self.run_sbx('check', 'vm.toml')).decode())
        web = self.ok(self.run_sbx('check', '--profile', 'web')).decode()
        self.assertIn('global IPv6 address', web)
        self.assertIn('name lookups go through this machine', web)

    def test_check_remarks(self):  # F47
        self.write('p.toml', 'sandbox.backend = "sandbox-exec"\n')
        result = self.run_sbx('check', '--strict', 'p.toml')
        self.assertEqual(self.ok(result), b'No security notes\n')
        self.assertIn(b'Apple has deprecated sandbox-exec', result.stderr)
        self.assertEqual(len(json.loads(self.ok(self.run_sbx('check', '--json', 'p.toml')))['remarks']), 1)

    def test_explain_shows_every_backend(self):  # F34
        image = ('--image', 'registry.test/x@sha256:' + 'a' * 64)
        for backend, mark in (('bubblewrap', b'--unshare-user'), ('sandbox-exec', b'(deny default)'),
                              ('container', b'--cap-drop ALL')):
            self.assertIn(mark, self.ok(self.run_sbx('explain', '--backend', backend, *image)))

    # H7, P57
    def test_path(self):  # H33 to H36, H40
        self.assertEqual(self.ok(self.run_sbx('path', '--write', 'src/new')).decode(), self.project + '/src/new\n')
        for use, path, message in (('--read', '../../etc/passwd', 'Path traversal detected: ../../etc/passwd'),
                                   ('--read', '%2e%2e/x', 'Path traversal (encoded): '),
                                   ('--read', '.git/config', 'Path in DENIED zone: '),
                                   ('--read', '~/.ssh/id_rsa', '(.ssh/*)'), ('--write', '/srv/x', 'Write outside SAFE: /srv/x'),
                                   ('--read', '/srv/x', 'Path outside SAFE and RESTRICTED: /srv/x'),
                                   ('--read', 'x' * 4097, 'Path too long (>4096)')):
            self.refused(self.run_sbx('path', use, path), message, status=1)
        with open(self.write('big'), 'wb') as file:
            file.truncate(500_000_001)
        self.refused(self.run_sbx('path', '--read', 'big'), 'File too large for the SAFE zone (>500 MB)', status=1)
        notes = os.path.join(self.home, 'notes')
        os.mkdir(notes)
        policy = ('--policy', self.write('zones.toml', '[zones]\nrestricted = ["~/notes"]\n'))
        for size, fits in ((100_000_000, True), (100_000_001, False)):
            with open(os.path.join(notes, 'log'), 'wb') as file:
                file.truncate(size)
            self.own()
            answer = self.run_sbx('path', '--read', '~/notes/log', *policy)
            if fits:
                self.assertEqual(self.ok(answer).decode(), notes + '/log\n')
            else:
                self.refused(answer, 'File too large for the RESTRICTED zone (>100 MB)', status=1)
        self.refused(self.run_sbx('path', '--write', '~/notes/log', *policy), 'Write outside SAFE: ', status=1)
        os.mkdir(os.path.join(self.project, 'a\n'))
        os.symlink('a\n', os.path.join(self.project, 'odd'))
        result = self.run_sbx('path', '--read', 'odd')
        self.refused(result, 'Path contains a control character', status=1)
        self.assertEqual(result.stdout, b'')
        self.assertEqual(self.run_sbx('path', 'x').returncode, 2)

    def test_check_refuses_what_a_run_refuses(self):
        for worktree in ('/', '~', '/etc', '~/.ssh', '~/.config/sbx', '~/x/.fusion/y'):
            policy = self.write('w.toml', '[sandbox]\nworktree = "%s"\nmode = "auto"\n' % worktree)
            checked = self.run_sbx('check', policy)
            self.refused(checked, 'w.toml:2:12: error: ', status=1)
            self.assertIn(b'worktree = "', checked.stderr)
            self.assertNotIn(b'No security notes', checked.stdout)
            self.refused(self.inside('true', flags=('--policy', policy)), 'w.toml:2:12: error: ')

    def test_an_untrusted_run_passes_its_state_on(self):  # P18
        self.assertEqual(self.ok(self.shell('echo $SBX_TAINTED', flags=('--untrusted',))), b'1\n')
        self.assertEqual(self.ok(self.shell('echo $SBX_TAINTED')), b'\n')

    def test_tainted_without_a_sandbox(self):  # P66
        flags = ('--tainted', '--backend', 'native')
        refused = self.inside('true', flags=flags)
        self.refused(refused, 'may not go without a sandbox')
        self.assertIn(b'--bypass-anyway', refused.stderr)
        self.assertNotIn(b'no sandbox: the command can do', refused.stderr)
        self.ok(self.inside('true', flags=(*flags, '--bypass-anyway')))
        self.refused(self.inside('true', flags=('--untrusted', '--backend', 'native', '--bypass-anyway')),
                     'may not go without a sandbox')

    def test_system_folders_that_may_be_read(self):  # H23, H24, C3
        self.ok(self.run_sbx('path', '--read', '/usr/share', '/var/log'))
        self.ok(self.inside('true', flags=('--read', '/usr/share')))
        self.refused(self.inside('true', flags=('--write', '/usr/share')), 'Path in DENIED zone: /usr/share')
        policy = self.write('strict.toml', '[zones]\nstrictTmp = "/tmp/mine"\n')
        for path, written in (('/etc/passwd', False), ('/tmp/other', True)):
            answer = self.run_sbx('path', '--read', path, '--policy', policy)
            self.refused(answer, 'Path in DENIED zone: ' + path, status=1)
            self.assertEqual(b'strict.toml:2' in answer.stderr, written)

    def test_init(self):
        self.write('package.json', '{}')
        self.ok(self.run_sbx('init'))
        path = os.path.join(self.project, 'sbx.toml')
        with open(path) as file:
            text = file.read()
        self.assertIn('--profile node', text)
        self.assertEqual(self.ok(self.run_sbx('check')), b'No security notes\n')
        self.ok(self.inside('true'))
        self.refused(self.run_sbx('init'), 'exists already', status=1)
        with open(path) as file:
            self.assertEqual(file.read(), text)
        # Every commented setting is valid when it is taken in.
        lines = [line[2:] if line.startswith('# ') and ' = ' in line and '"' in line + '"' and
                 line[2:].split(' = ')[0].isalpha() else line for line in text.splitlines()]
        self.write('all.toml', '\n'.join(lines))
        self.ok(self.run_sbx('check', 'all.toml'))

    def test_profiles_and_schema(self):
        listed = self.ok(self.run_sbx('profiles')).decode()
        self.assertEqual([line.split()[0] for line in listed.splitlines()],
                         'default agent ci untrusted pine fusion tatu web files git-look decode node python rust '
                         'go'.split())
        self.assertIn(b'trust = "untrusted"', self.ok(self.run_sbx('profiles', 'untrusted')))
        schema = json.loads(self.ok(self.run_sbx('schema')))
        self.assertIn('network', schema['properties']['sandbox']['properties'])

    def test_explain(self):
        self.write('.git/hooks/x', '')
        secret = os.path.join(self.home, 'secret')
        answers = json.loads(self.ok(self.run_sbx('explain', '--json', '.', '.git/hooks', secret, '/usr/bin/env', '--port',
                                                  '4040', '--env', 'HOME', '--env', 'GIT_AUTHOR_NAME')))
        flat = [(a.get('read'), a.get('write'), a.get('bind'), a.get('passed')) for a in answers]
        self.assertEqual(flat, [(True, True, None, None), (True, False, None, None), (False, False, None, None),
                                (True, False, None, None), (None, None, False, None), (None, None, None, True),
                                (None, None, None, False)])
        self.assertIn('--read ', answers[2]['change'])
        self.assertIn(b'--unshare-net', self.ok(self.run_sbx('explain', '--backend', 'bubblewrap')))
        for flags, wanted in (((), '--network on, or sandbox.network; and sandbox.allowPort4040Override'),
                              (('--network', 'on'), 'sandbox.allowPort4040Override'),
                              (('--backend', 'sandbox-exec', '--network', 'on'), 'nothing: ')):
            answer, = json.loads(self.ok(self.run_sbx('explain', '--json', '--port', '4040', *flags)))
            self.assertFalse(answer['bind'])
            self.assertTrue(answer['change'].startswith(wanted), answer)
        whole = json.loads(self.ok(self.run_sbx('explain', '--json')))
        self.assertEqual(whole['backend'], 'bubblewrap')


if __name__ == '__main__':
    sandbox.main()
