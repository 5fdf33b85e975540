"""guards.handover = "protect" and guarded instructions: what is there cannot be changed while the command runs."""
import os
import subprocess

import sandbox
from sandbox import both


@both
class Protect(sandbox.Case):
    FILES = ('.envrc', '.npmrc', '.vscode/tasks.json', 'packages/a/.Claude/settings.json', '.cargo/config.toml',
             '.github/hooks/pre.json', '.mcp.json', 'deep/er/.tool-versions')
    INSTRUCTIONS = ('AGENTS.md', 'sub/claude.md', '.github/copilot-instructions.md', '.agents/skill/a.md')

    def setUp(self):
        super().setUp()
        for name in self.FILES + self.INSTRUCTIONS + ('main.py', 'node_modules/x/.npmrc', '.github/workflow.yml'):
            self.write(name, 'host\n')
        self.git('init', '-q')
        self.git('add', '-A', '-f')
        self.git('commit', '-qm', 'one')

    def policy(self, text):
        path = os.path.join(self.base, 'policy.toml')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
        return ('--policy', path)

    def attempts(self, name):
        """Every way to have other bytes under this name while the command runs."""
        top = name.split('/')[0]
        return ['echo evil > %s' % name, 'rm -f %s' % name, 'mv %s away' % name, 'chmod 777 %s' % name,
                'ln -f main.py %s' % name, 'cp main.py new && mv -f new %s' % name, 'mv %s elsewhere' % top,
                'rm -rf %s' % top]

    def text(self, name):
        with open(os.path.join(self.project, name), encoding='utf-8') as file:
            return file.read()

    def try_all(self, names, flags):
        script = ''.join('if (%s) 2>/dev/null; then echo "done: %s"; fi\n' % (attempt, attempt.replace('"', ''))
                         for name in names for attempt in self.attempts(name))
        return self.ok(self.shell(script + 'cat ' + ' '.join(names), flags=flags))

    def test_existing_hand_over_files_are_read_only(self):
        flags = self.policy('[guards]\nhandover = "protect"\ninstructions = "off"\n')
        self.assertEqual(self.try_all(self.FILES, flags), b'host\n' * len(self.FILES))
        for name in self.FILES:
            self.assertEqual(self.text(name), 'host\n')

    def test_instructions_are_read_only_when_guarded(self):
        for flags in (self.policy('[guards]\ninstructions = "always"\n'), ('--tainted',)):
            self.assertEqual(self.try_all(self.INSTRUCTIONS, flags), b'host\n' * len(self.INSTRUCTIONS))
        for name in self.INSTRUCTIONS:
            self.assertEqual(self.text(name), 'host\n')

    def test_instructions_may_change_otherwise_and_that_is_said(self):
        done = self.shell('echo more >> AGENTS.md')
        self.ok(done)
        self.assertIn(b'AGENTS.md', done.stderr)
        self.assertEqual(self.text('AGENTS.md'), 'host\nmore\n')

    def test_new_ones_are_held(self):
        flags = self.policy('[guards]\nhandover = "protect"\n')
        done = self.shell('mkdir -p new/.vscode && echo evil > new/.vscode/tasks.json && echo evil > .yarnrc', flags=flags)
        self.ok(done)
        self.assertFalse(os.path.exists(os.path.join(self.project, '.yarnrc')))
        self.assertFalse(os.path.exists(os.path.join(self.project, 'new/.vscode')))

    def test_the_rest_stays_writable(self):
        flags = self.policy('[guards]\nhandover = "protect"\ninstructions = "always"\n')
        self.ok(self.shell('set -e; echo 2 > main.py; echo 2 > node_modules/x/.npmrc; rm -r node_modules; '
                           'echo 2 > .github/workflow.yml; git -c user.name=d -c user.email=d@d.invalid commit -qam two; git status --porcelain', flags=flags))
        self.assertEqual(self.text('.github/workflow.yml'), '2\n')

    def test_links_and_where_they_lead(self):
        self.write('config/tasks.json', 'host\n')
        self.write('shared/npmrc', 'host\n')
        os.remove(os.path.join(self.project, '.vscode/tasks.json'))
        os.symlink('../config/tasks.json', os.path.join(self.project, '.vscode/tasks.json'))
        os.remove(os.path.join(self.project, '.npmrc'))
        os.symlink('shared/npmrc', os.path.join(self.project, '.npmrc'))
        self.own()
        flags = self.policy('[guards]\nhandover = "protect"\n')
        script = ('for f in .vscode/tasks.json config/tasks.json .npmrc shared/npmrc; do '
                  '(echo evil > $f || rm -f $f || mv $f away) 2>/dev/null && echo $f; done; '
                  'for d in config shared .vscode; do mv $d moved 2>/dev/null && echo $d; done; exit 0')
        self.assertEqual(self.ok(self.shell(script, flags=flags)), b'')
        self.assertEqual((self.text('.npmrc'), self.text('.vscode/tasks.json')), ('host\n', 'host\n'))

    def test_tracked_envrc_is_read_only_and_readable(self):
        flags = self.policy('[guards]\nhandover = "protect"\n')
        self.assertEqual(self.ok(self.shell('echo evil > .envrc; cat .envrc', flags=flags)), b'host\n')

    def test_commondir_cannot_be_made(self):
        """Here a stand-in holds its place, by a mount. It is gone afterwards, also when sbx was killed."""
        flags = self.policy('[guards]\nhandover = "protect"\n')
        path = os.path.join(self.project, '.git', 'commondir')
        run = self.start_inside('sh', '-c', '(echo evil > .git/commondir || rm .git/commondir || mv .git/commondir x) '
                                '2>/dev/null && echo done; echo ready; read x', flags=flags, stdin=subprocess.PIPE)
        self.assertEqual(run.stdout.readline(), b'ready\n')
        with open(path, encoding='utf-8') as file:
            self.assertEqual(file.read(), '.\n')
        run.kill()
        self.wait_for(lambda: not os.path.lexists(path), 'the end of the stand-in')

    def test_explain_names_the_rule(self):
        flags = self.policy('[guards]\nhandover = "protect"\ninstructions = "always"\n')
        said = self.run_sbx('explain', *flags, '.npmrc', 'AGENTS.md', 'main.py').stdout
        self.assertIn(b'guards.handover', said)
        self.assertIn(b'guards.instructions', said)

    def test_many(self):
        for number in range(300):
            self.write('packages/p%d/.npmrc' % number, 'host\n')
        flags = self.policy('[guards]\nhandover = "protect"\n')
        found = self.ok(self.shell('for f in packages/*/.npmrc; do echo evil > $f && echo $f; done 2>/dev/null; exit 0', flags=flags))
        self.assertEqual(found, b'')


if __name__ == '__main__':
    sandbox.main()
