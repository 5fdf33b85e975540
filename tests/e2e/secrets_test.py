"""sbx's own lines show no secret: errors, notes, explain, dry runs, JSON (T90, P130, C33)."""
import json
import os
import shlex
import unittest

import sandbox
from sandbox import both

TOKEN = 'ghp_verysecret123'       # of the caller's environment
DOTENV = 'dotenv-secret-1'        # of the project's .env
QUOTED = "it's \"a\" s3cret$x"    # changes its looks when it is quoted
SET = 'value-set-by-a-policy'     # of [sandbox.env] set, under a harmless name


@both
class Secrets(sandbox.Case):
    def setUp(self):
        super().setUp()
        self.git('init', '-q')
        self.write('.env', 'DB_PASSWORD="%s"\n' % DOTENV)
        self.env = self.environment(GITHUB_TOKEN=TOKEN, MY_SECRET=QUOTED)

    def silent(self, result, status):
        """Nothing of any secret was said; what was said."""
        said = (result.stdout + result.stderr).decode()
        self.assertEqual(result.returncode, status, said)
        for secret in (TOKEN, DOTENV, QUOTED, SET, shlex.quote(QUOTED), json.dumps(QUOTED)[1:-1], 's3cret'):
            self.assertNotIn(secret, said)
        return said

    def test_errors_of_a_policy_show_no_value(self):
        for text, wanted in (
                ('[sandbox.env]\nset = { "1A" = "%s" }\n' % SET, '    set = ...\n'),
                ('[sandbox.env]\nFOO = "%s"\n' % SET, '    FOO = ...\n'),
                ('[sandbox.env]\nset = { FOO = %s }\n' % SET, '    set = ...\n'),
                ('[sandbox]\nset = { FOO = "%s" }\n' % SET, '    set = ...\n'),
                ('[sandbox.env]\npass = ["FOO=%s"]\n' % SET, 'this takes names without values'),
                ('[sandbox.env.set]\nFOO = "%s" "x"\n' % SET, '    FOO = ...\n'),
                ('sandbox = { netwrok = "on", env = { set = { FOO = "%s" } } }\n' % SET, '    sandbox = ...\n')):
            self.write('p.toml', text)
            for words in (('run', '--policy', 'p.toml', '--', 'true'), ('check', 'p.toml'), ('check', '--json', 'p.toml'),
                          ('explain', '--policy', 'p.toml'), ('trust', 'p.toml')):
                said = self.silent(self.run_sbx(*words, env=self.env), 125 if words[0] == 'run' else 1)
                if '--json' not in words:
                    self.assertIn(wanted, said)

    def test_known_secrets_are_in_no_error(self):
        self.write('p.toml', '[sandbox]\nbackend = "%s"\nallowedReadPaths = ["/a/../%s"]\n' % (DOTENV, TOKEN))
        said = self.silent(self.run_sbx('check', 'p.toml', env=self.env), 1)
        self.assertIn('    backend = "[redacted]"\n              ^\n', said)
        self.assertIn('Path traversal detected: /a/../[redacted]', said)
        self.silent(self.inside('true', flags=('--write', '/etc/' + TOKEN), env=self.env), 125)
        self.silent(self.inside('true', flags=('--env', 'FOO=' + SET), env=self.env), 125)
        self.silent(self.inside('true', flags=('--set-env', '1=' + SET), env=self.env), 125)
        self.silent(self.run_sbx('path', '--read', '/srv/' + TOKEN, env=self.env), 1)

    def test_known_secrets_are_in_no_note(self):
        said = self.silent(self.inside('true', flags=('--read', './' + TOKEN), env=self.env), 0)
        self.assertIn('[redacted] does not exist; skipped', said)
        self.write('p.toml', 'sandbox.allowedReadPaths = ["/opt/%s"]\nsandbox.network = "on"\n' % DOTENV)
        self.assertIn('[redacted]', self.silent(self.run_sbx('check', 'p.toml', env=self.env), 0))

    def test_known_secrets_are_in_no_failure(self):
        said = self.silent(self.inside('./' + TOKEN, env=self.env), 127)
        self.assertIn('[redacted]: command not found', said)

    def test_explain(self):
        for more in ((), ('--json',), ('--backend', 'bubblewrap'), ('--backend', 'sandbox-exec')):
            self.silent(self.run_sbx('explain', '--set-env', 'FOO=' + SET, '--set-env', 'API_TOKEN=short', *more,
                                     env=self.env), 0)
        said = self.silent(self.run_sbx('explain', TOKEN, DOTENV, '--env', 'GITHUB_TOKEN', env=self.env), 0)
        self.assertIn('[redacted]', said)

    def test_the_command_gets_what_is_not_shown(self):
        out = self.inside('sh', '-c', 'echo $MY_SECRET; echo $FOO', env=self.env,
                          flags=('--env', 'MY_SECRET', '--set-env', 'FOO=' + SET))
        self.assertEqual(self.ok(out).decode(), '%s\n%s\n' % (QUOTED, SET))


@both
class DryRun(sandbox.Case):
    def dry(self, *words, flags=(), env=None):
        return self.ok(self.inside(*words, flags=('--dry-run', *flags), env=env)).decode()

    # P119
    def test_shows_the_command_and_its_variables(self):
        out = self.dry('sh', '-c', "echo 'a b' $X", '', '\x1b[31m',
                       flags=('--set-env', 'FOO=' + SET, '--env', 'MY_SECRET', '--set-env', 'PIN_TOKEN=1'),
                       env=self.environment(MY_SECRET=QUOTED))
        self.assertNotIn('\x1b', out)
        lines = out.splitlines()
        self.assertTrue(lines[0].startswith('/usr/bin/bwrap --unshare-user '), out)
        line, = [line for line in lines if line.startswith('inside: ')]
        words = shlex.split(line)
        self.assertEqual(words[1:7], ['cd', self.project, '&&', 'exec', 'env', '-i'])
        self.assertEqual(words[-5:-1], ['sh', '-c', "echo 'a b' $X", ''])
        shown = dict(word.split('=', 1) for word in words[7:-5])
        for hidden in ('FOO', 'MY_SECRET', 'PIN_TOKEN'):
            self.assertEqual(shown.pop(hidden), '[redacted]')
        self.assertEqual(shown['HOME'], self.home)
        self.assertNotIn('GIT_AUTHOR_NAME', shown)
        # It is what runs: the same variables, and no others.
        real = self.ok(self.inside('/usr/bin/env', '-0')).decode().split('\0')[:-1]
        self.assertEqual(dict(entry.split('=', 1) for entry in real), shown)

    def test_starts_nothing(self):
        self.dry('touch', 'started')
        self.assertEqual(os.listdir(self.project), [])

    def test_without_a_sandbox(self):
        result = self.inside('touch', 'started', flags=('--dry-run', '--backend', 'native'))
        self.assertEqual(self.ok(result), b'touch started\n')
        self.assertIn(b'no sandbox: ', result.stderr)
        self.assertEqual(os.listdir(self.project), [])


if __name__ == '__main__':
    sandbox.main()
