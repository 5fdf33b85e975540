"""`sbx explain PATH` says what a command inside can really do: random policies, random paths, real runs.

The random numbers come from SBX_SEED (a fixed one by default), so that a failure can be repeated.
"""
import json
import os
import random
import unittest

import sandbox
from sandbox import both

PAIRS = 600  # of a policy and a path, for each user
PATHS = 30

# Runs inside: for every path, whether it is there, can be read, and tries to leave a trace by writing.
PROBE = r'''
import json, os, sys
answers = []
for path in json.load(sys.stdin):
    visible = os.path.lexists(path)
    readable = False
    try:
        if os.path.isdir(path):
            os.listdir(path)
        else:
            open(path, 'rb').read(1)
        readable = True
    except OSError:
        pass
    try:
        if os.path.isdir(path):
            open(os.path.join(path, 'trace'), 'x').close()
        elif visible:
            with open(path, 'ab') as file:
                file.write(b'+')
    except OSError:
        pass
    answers.append((visible, readable))
print(json.dumps(answers))
'''


@both
class ExplainAgrees(sandbox.Case):
    def setUp(self):
        super().setUp()
        self.random = random.Random(int(os.environ.get('SBX_SEED', '20261130')) + (1 if self.as_user else 0))

    def plant(self):
        """A home with a repository, folders beside it, links between them and names that matter."""
        folders = ['project', 'project/src', 'project/src/deep', 'project/.fusion', 'data', 'data/in', 'data/in/a',
                   'data/out', 'other', 'other/x', '.config/app', 'far/away/place']
        for folder in folders:
            os.makedirs(os.path.join(self.home, folder), exist_ok=True)
        names = ['f', 'notes.txt', 'script.sh', 'AGENTS.md', 'Makefile']
        for folder in folders:
            for name in self.random.sample(names, 2):
                with open(os.path.join(self.home, folder, name), 'w') as file:
                    file.write('x')
        os.symlink('../data', os.path.join(self.home, 'project', 'link'))
        os.symlink(os.path.join(self.home, 'other', 'x'), os.path.join(self.home, 'data', 'link'))
        self.own()
        self.git('init', '-q')
        return [os.path.join(self.home, folder) for folder in folders]

    def candidates(self):
        """Every path below the home, and some of the system."""
        found = [self.home]
        for at, directories, files in os.walk(self.home):
            found += [os.path.join(at, name) for name in directories + files]
        return found + ['/usr/bin/env', '/usr', '/etc/hostname', '/bin', '/var', '/run', '/srv', '/home', '/',
                        '/var/log', '/opt', os.path.join(self.home, 'missing'), os.path.join(self.project, 'missing')]

    def policy(self, folders):
        """A random policy; now and then one that sbx refuses, which is not counted."""
        pick = self.random
        lines = ['[sandbox]']
        for key in ('allowedReadPaths', 'allowedWritePaths'):
            chosen = pick.sample(folders + [self.project + '/link', self.home + '/data/link', self.home + '/data/in/f'],
                                 pick.randint(0, 3))
            lines.append('%s = %s' % (key, json.dumps(['?' + path for path in chosen])))
        lines.append('systemRead = "%s"' % pick.choice(['normal', 'normal', 'minimal', 'full']))
        if pick.random() < 0.3:
            lines.append('worktreeReadOnly = true')
        if pick.random() < 0.3:
            lines.append('worktree = "%s"' % pick.choice(folders[:3]))
        if pick.random() < 0.2:
            lines.append('trust = "untrusted"')
        if pick.random() < 0.2:
            lines.append('repoRoot = "%s"' % pick.choice([self.project, self.home + '/data']))
        lines += ['[guards]', 'git = "%s"' % pick.choice(['always', 'tainted', 'off'])]
        if pick.random() < 0.5:
            lines.append('paths = ["?Makefile", "?src"]')
        return '\n'.join(lines) + '\n'

    # H55, P16, P24, P41, P124
    def test_random_policies(self):
        folders = self.plant()
        compared = 0
        for _ in range(PAIRS):
            policy = self.write('p.toml', self.policy(folders))
            paths = self.random.sample(self.candidates(), PATHS)
            explained = self.run_sbx('explain', '--json', '--policy', policy, *paths)
            if explained.returncode != 0:
                self.assertIn(b'sbx: ', explained.stderr)
                continue
            answers = json.loads(explained.stdout)
            compared += self.compare(policy, answers)
            if compared >= PAIRS:
                break
        self.assertGreaterEqual(compared, PAIRS)

    def state(self, path):
        """What writing would change on the host."""
        if os.path.isdir(path):
            return os.path.exists(os.path.join(path, 'trace'))
        return os.path.getsize(path) if os.path.exists(path) else None

    def compare(self, policy, answers):
        names = [answer['path'] for answer in answers]
        before = [self.state(name) for name in names]
        flags = ('--policy', policy, '--quiet')
        inside = self.probe(flags, names)
        with open(policy) as file:
            text = file.read()
        for answer, name, (visible, readable), was in zip(answers, names, inside, before):
            wrote = self.state(name) != was
            said = (answer['visible'] and answer['exists'], answer['read'] and answer['exists'],
                    answer['write'] and answer['exists'])
            self.assertEqual(said, (visible and answer['exists'], readable, wrote), '%s\n%s\n%s' % (name, answer, text))
        for name in names:
            trace = os.path.join(name, 'trace')
            if os.path.exists(trace):
                os.unlink(trace)
        return len(names)

    def probe(self, flags, names):
        question = os.path.join(self.base, 'question')
        with open(question, 'w') as file:
            json.dump(names, file)
        os.chmod(question, 0o644)
        with open(question) as file:
            out = self.call(self.sbx, 'run', *flags, '--', '/usr/bin/python3', '-c', PROBE, stdin=file)
        return json.loads(self.ok(out))


if __name__ == '__main__':
    sandbox.main()
