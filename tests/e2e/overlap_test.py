"""Runs that are live at the same time: what one plants, no other takes for the user's."""
import os
import sys
import unittest

from sandbox import Case


class Overlap(Case):
    def begin(self, script, cwd, **variables):
        """A run that has done `script` and waits for its input to end."""
        run = self.start_inside('sh', '-c', script + '; echo ready; cat >/dev/null', cwd=cwd, stdin=-1,
                                env=self.environment(**variables))
        self.assertEqual(run.stdout.readline(), b'ready\n', run.poll())
        return run

    def end(self, run):
        run.stdin.close()
        self.assertEqual(run.wait(timeout=60), 0)
        return run.stderr.read()

    def text(self, *names):
        with open(os.path.join(self.project, *names), encoding='utf-8') as file:
            return file.read()

    def places(self, name):
        """An environment in which every folder of sbx's that can be named is another one."""
        own = os.path.join(self.home, name)
        for below in ('run', 'state', 'config', 'cache'):
            os.makedirs(os.path.join(own, below), mode=0o700)
        self.own()
        return {'XDG_RUNTIME_DIR': own + '/run', 'XDG_STATE_HOME': own + '/state', 'XDG_CONFIG_HOME': own + '/config',
                'XDG_CACHE_HOME': own + '/cache', 'TMPDIR': own}

    def test_folders_inside_each_other(self):
        for outer_first in (True, False):
            with self.subTest(outer_first=outer_first):
                self.write('sub/.npmrc', 'mine\n')
                self.own()
                sub = os.path.join(self.project, 'sub')
                first, second = (self.project, sub) if outer_first else (sub, self.project)
                planted = 'sub/.envrc' if outer_first else '.envrc'
                npmrc = 'sub/.npmrc' if outer_first else '.npmrc'
                one = self.begin('echo evil > %s; echo evil > %s' % (planted, npmrc), first, **self.places('a%d' % outer_first))
                two = self.begin(':', second, **self.places('b%d' % outer_first))
                self.end(one)
                self.assertEqual(self.text('sub', '.npmrc'), 'mine\n')
                self.end(two)
                self.assertEqual(self.text('sub', '.npmrc'), 'mine\n')
                self.assertFalse(os.path.exists(os.path.join(sub, '.envrc')))
                self.assertEqual(self.live_files(), [])

    def test_a_commit_of_a_live_run_does_not_pass_for_the_users(self):
        self.git('init', '-q')
        self.write('.npmrc', 'a=1\n')
        self.git('add', '-A')
        self.git('commit', '-qm', 'one')
        self.git('worktree', 'add', '-q', os.path.join(self.home, 'linked'), '-b', 'linked')
        self.own()
        linked = os.path.join(self.home, 'linked')
        one = self.begin('git checkout -qb planted && echo evil > .npmrc && '
                         'git -c user.name=x -c user.email=x@x.invalid commit -qam evil', self.project)
        two = self.begin('git checkout -q planted -- .npmrc', linked)
        said = self.end(two)
        self.assertIn(b'held', said)
        with open(os.path.join(linked, '.npmrc'), encoding='utf-8') as file:
            self.assertEqual(file.read(), 'a=1\n')
        self.end(one)

    def test_folders_of_live_runs_cannot_be_granted(self):
        one = self.begin(':', self.project)
        for name in self.live_files():
            refused = self.inside('true', flags=('--write', os.path.dirname(name)))
            self.assertEqual(refused.returncode, 125, refused.stderr)
            self.assertNotEqual(self.inside('cat', name).returncode, 0)
        self.assertTrue(self.live_files())
        self.end(one)


if os.geteuid() == 0:
    class OverlapAsUser(Overlap):
        as_user = True

if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], '-v'])
