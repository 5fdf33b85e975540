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
        self.assertEqual(self.run_sbx('path', 'x').returncode, 2)

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
        whole = json.loads(self.ok(self.run_sbx('explain', '--json')))
        self.assertEqual(whole['backend'], 'bubblewrap')


@both
class Profiles(sandbox.Case):
    """Each profile with a command that it is made for."""

    def setUp(self):
        super().setUp()
        self.git('init', '-q')
        self.write('a.txt', 'one\n')
        self.git('add', '-A')
        self.git('commit', '-q', '-m', 'first')

    def with_profile(self, name, *words, status=0):
        return self.ok(self.inside(*words, flags=('--profile', name)), status)

    def test_default_and_pine(self):  # P54, P55
        for name in ('default', 'pine'):
            self.assertIn(b'clean', self.with_profile(name, 'git', 'status'))
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

    def test_languages(self):
        for profile, command in (('node', ('node', '-e', 'console.log(1)')), ('python', ('python3', '-c', 'print(1)')),
                                 ('agent', ('sh', '-c', 'echo 1')), ('rust', ('sh', '-c', 'echo 1')),
                                 ('go', ('sh', '-c', 'echo 1'))):
            self.assertEqual(self.with_profile(profile, *command), b'1\n')

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
