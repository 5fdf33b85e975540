"""Hold through the real executable: what the host would run or obey stays as it was, honest work goes on."""
import os
import signal
import subprocess
import sys
import unittest

from sandbox import Case


class Hold(Case):
    def setUp(self):
        super().setUp()
        self.write('main.py', 'print()\n')
        self.git('init', '-q')
        self.git('add', '-A')
        self.git('commit', '-qm', 'one')
        self.own()

    def path(self, name):
        return os.path.join(self.project, name)

    def text(self, name):
        with open(self.path(name), encoding='utf-8') as file:
            return file.read()

    def clean(self):
        """Nothing is left of sbx: not in the tree, in the git directory, among the live runs."""
        self.assertEqual(self.ok(self.call('git', 'status', '--porcelain', '--ignored')), b'')
        self.assertEqual(self.live_files(), [])
        self.assertFalse(os.path.exists(self.path('.git/commondir')))

    def test_true_leaves_nothing_anywhere(self):
        before = self.everything()
        self.ok(self.inside('true'))
        self.assertEqual(self.everything(), before)
        self.clean()

    def everything(self):
        found = []
        for at, directories, files in os.walk(self.home):
            found += [os.path.join(at, name) for name in directories + files]
        return sorted(found)

    def test_held_accept_discard(self):
        done = self.shell('mkdir .vscode; echo x > .vscode/tasks.json; echo y > .envrc; echo out > result.txt')
        self.ok(done)
        self.assertIn(b'.vscode/tasks.json', done.stderr)
        self.assertIn(b'sbx accept', done.stderr)
        self.assertFalse(os.path.exists(self.path('.vscode')))
        self.assertEqual(self.text('result.txt'), 'out\n')
        os.unlink(self.path('result.txt'))
        self.clean()
        listed = self.ok(self.run_sbx('held', '--diff'))
        self.assertIn(b'created  .envrc', listed)
        self.assertIn(b'+y', listed)
        self.ok(self.run_sbx('accept', '.envrc'))
        self.assertEqual(self.text('.envrc'), 'y\n')
        self.ok(self.run_sbx('discard'))
        self.assertEqual(self.ok(self.run_sbx('held')), b'')

    def test_checkout_between_own_branches(self):
        self.write('.npmrc', 'a=1\n')
        self.write('sub/.vscode/settings.json', '{}\n')
        self.git('add', '-A')
        self.git('commit', '-qm', 'two')
        self.git('checkout', '-qb', 'other')
        self.write('.npmrc', 'a=2\n')
        self.write('.mcp.json', '{}\n')
        self.git('rm', '-rq', 'sub')
        self.git('add', '-A')
        self.git('commit', '-qm', 'three')
        self.git('checkout', '-q', 'main')
        done = self.inside('git', 'checkout', '-q', 'other')
        self.ok(done)
        self.assertNotIn(b'held', done.stderr)
        self.assertEqual(self.text('.npmrc'), 'a=2\n')
        self.clean()

    def test_commit_of_an_earlier_run_does_not_pass_for_the_users(self):
        self.write('.npmrc', 'a=1\n')
        self.git('add', '-A')
        self.git('commit', '-qm', 'two')
        self.ok(self.shell('git checkout -qb planted && echo evil > .npmrc && '
                           'git -c user.name=x -c user.email=x@x.invalid commit -qam evil && git checkout -q main'))
        self.ok(self.shell('git checkout -q planted -- .npmrc'))
        self.assertEqual(self.text('.npmrc'), 'a=1\n')

    def test_new_repository_works_and_runs_nothing(self):
        self.ok(self.shell('git init -q new && cd new && git config core.fsmonitor "touch PWNED" && '
                           'printf "#!/bin/sh\\ntouch PWNED\\n" > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit'))
        new = self.path('new')
        self.ok(self.call('git', 'status', cwd=new))
        self.ok(self.call('git', 'commit', '-q', '--allow-empty', '-m', 'x', cwd=new))
        self.assertFalse(os.path.exists(os.path.join(new, 'PWNED')))

    def test_killed_launcher(self):
        self.write('.envrc', 'mine\n')
        self.own()
        run = subprocess.Popen([self.sbx, 'run', '--', 'sh', '-c', 'echo evil > .envrc; echo ready; exec sleep 1000'],
                               cwd=self.project, env=self.environment(), stdout=subprocess.PIPE,
                               stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, **self.identity())
        self.assertEqual(run.stdout.readline(), b'ready\n')
        self.assertEqual(self.text('.envrc'), 'evil\n')
        run.send_signal(signal.SIGKILL)
        run.wait()
        run.stdout.close()
        run.stderr.close()
        # The promise is one second; a loaded machine may take longer.
        self.wait_for(lambda: self.text('.envrc') == 'mine\n' and not self.live_files(),
                      'what the host had, and the end of the guardian', patience=10)
        os.unlink(self.path('.envrc'))
        self.clean()
        self.assertIn(b'.envrc', self.ok(self.run_sbx('held')))

    def test_host_works_with_git_during_a_run(self):
        read_end, write_end = os.pipe()
        run = subprocess.Popen([self.sbx, 'run', '--', 'sh', '-c', 'echo ready; cat > /dev/null'],
                               cwd=self.project, env=self.environment(), stdin=read_end, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, **self.identity())
        os.close(read_end)
        self.assertEqual(run.stdout.readline(), b'ready\n')
        self.assertEqual(self.ok(self.call('git', 'status', '--porcelain')), b'')
        self.write('new.txt', 'x')
        for words in (['add', '-A'], ['commit', '-qm', 'x'], ['gc', '-q'], ['clean', '-fdq'], ['init', '-q']):
            self.git(*words)
        os.close(write_end)
        self.ok_process(run)
        self.clean()

    def ok_process(self, run):
        stdout, stderr = run.communicate()
        self.assertEqual(run.returncode, 0, (stdout, stderr))

    def test_hundred_runs_at_once(self):
        runs = [subprocess.Popen([self.sbx, 'run', '--', 'sh', '-c', 'echo x > .envrc; git status > /dev/null'],
                                 cwd=self.project, env=self.environment(), stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, **self.identity())
                for _ in range(100)]
        for run in runs:
            self.ok_process(run)
        self.clean()

    def test_what_is_too_large_to_keep_cannot_be_changed(self):
        self.write('.vscode/small.json', '{}\n')
        self.write('.vscode/index.bin', 'mine\n')
        os.truncate(self.path('.vscode/index.bin'), 40 << 20)
        self.own()
        tried = self.shell('echo evil > .vscode/index.bin; truncate -s 0 .vscode/index.bin; mv .vscode/index.bin x; '
                           'rm -f .vscode/index.bin; mv .vscode y; rm -rf .vscode; echo more > .vscode/small.json; true')
        self.ok(tried)
        with open(self.path('.vscode/index.bin'), 'rb') as file:
            self.assertEqual(file.read(5), b'mine\n')
        self.assertEqual(os.path.getsize(self.path('.vscode/index.bin')), 40 << 20)
        self.assertEqual(self.text('.vscode/small.json'), '{}\n')
        self.assertNotIn(b'sbx-held', tried.stderr)
        # A run that joins another one does not change it either.
        other = self.start_inside('sh', '-c', 'echo ready; cat', stdin=-1)
        self.assertEqual(other.stdout.readline(), b'ready\n')
        self.shell('echo evil > .vscode/index.bin')
        self.assertEqual(os.path.getsize(self.path('.vscode/index.bin')), 40 << 20)
        other.stdin.close()
        self.assertEqual(other.wait(timeout=60), 0)

    def test_parent_of_a_hand_over_file_becomes_a_link(self):
        self.write('sub/.vscode/settings.json', '{}\n')
        self.own()
        self.ok(self.shell('mv sub evil && ln -s evil sub && echo evil > evil/.vscode/settings.json'))
        self.assertEqual(self.text('sub/.vscode/settings.json'), '{}\n')
        self.assertFalse(os.path.islink(self.path('sub')))

    def test_modes_hide_nothing(self):
        self.ok(self.shell('mkdir a b; echo evil > a/.envrc; chmod 555 a; echo evil > b/.envrc; chmod 0 b'))
        os.chmod(self.path('b'), 0o755)
        self.assertFalse(os.path.exists(self.path('a/.envrc')))
        self.assertFalse(os.path.exists(self.path('b/.envrc')))


class HoldAsUser(Hold):
    as_user = True

    def setUp(self):
        if os.getuid() != 0:
            self.skipTest('this case is the caller already')
        super().setUp()


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1] + sys.argv[1:])
