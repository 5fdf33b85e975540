"""What a command leaves so that git, an editor or a shell of the host obeys it later: each was a hole once."""
import os
import stat

import sandbox
from sandbox import both

EVIL = '[core]\\n\\tfsmonitor = touch %s; false\\n'


@both
class HandoverAttacks(sandbox.Case):
    def setUp(self):
        super().setUp()
        self.proof = os.path.join(self.home, 'PROOF')
        self.write('main.py', 'print()\n')
        self.write('scripts/hook.sh', '#!/bin/sh\nexit 0\n')
        os.chmod(os.path.join(self.project, 'scripts/hook.sh'), 0o755)
        self.git('init', '-q')
        self.git('add', '-A')
        self.git('commit', '-qm', 'one')
        self.own()

    def evil(self):
        return EVIL % self.proof

    def host_uses_git(self, folder=''):
        """As a user does afterwards, in the project and in a folder of it."""
        for cwd in {self.project, os.path.join(self.project, folder)}:
            for words in (('status',), ('commit', '-q', '--allow-empty', '-m', 'x'), ('diff',)):
                self.call('git', *words, cwd=cwd)
        self.assertFalse(os.path.exists(self.proof), 'git ran what the command had planted')

    def absent(self, *names):
        for name in names:
            self.assertFalse(os.path.lexists(os.path.join(self.project, name)), name)

    def test_the_looks_of_a_repository_hide_nothing(self):
        for folder in ('.', 'sub'):
            self.shell('mkdir -p %s; cd %s; touch HEAD; mkdir objects refs .vscode; echo x >.vscode/tasks.json; '
                       'echo x >.envrc; echo x >.npmrc' % (folder, folder))
            self.absent(*(os.path.join(folder, name) for name in ('.vscode/tasks.json', '.envrc', '.npmrc')))

    def test_a_git_file_in_such_a_folder(self):
        self.shell('mkdir -p .git/objects/evil/objects .git/objects/evil/refs sub/objects sub/refs; touch sub/HEAD; '
                   'echo "ref: refs/heads/x" >.git/objects/evil/HEAD; printf "%s" >.git/objects/evil/config; '
                   'echo "gitdir: ../.git/objects/evil" >sub/.git' % self.evil())
        self.host_uses_git('sub')

    def test_a_repository_below_the_refs_of_another(self):
        self.shell('touch HEAD; mkdir -p objects refs; git init -q refs/lib; printf "%s" >>refs/lib/.git/config' % self.evil())
        self.host_uses_git('refs/lib')

    def test_pointers_are_read_as_git_reads_them(self):
        plant = ('mkdir -p .git/objects/evil/objects .git/objects/evil/refs; echo "ref: refs/heads/x" >.git/objects/evil/HEAD; '
                 'printf "%s" >.git/objects/evil/config; git init -q good; mkdir sub; ' % self.evil())
        for name, script in (('two blanks', 'cp -r good/.git sub/good; ln -s ../.git/objects/evil "sub/ good"; '
                                            'printf "gitdir:  good\\n" >sub/.git'),
                             ('a link', 'cp -r good/.git sub/good; ln -s ../.git/objects/evil "sub/gitdir:good"; '
                                        'ln -s gitdir:good sub/.git')):
            with self.subTest(name):
                self.shell('rm -rf sub good; ' + plant + script)
                self.host_uses_git('sub')

    def test_hooks_path_of_the_user(self):
        with open(os.path.join(self.home, '.gitconfig'), 'w') as file:
            file.write('[core]\n\thooksPath = .githooks\n')
        self.own()
        self.shell('mkdir .githooks; printf "#!/bin/sh\\ntouch %s\\n" >.githooks/pre-commit; chmod +x .githooks/pre-commit' % self.proof)
        self.host_uses_git()

    def test_what_git_has_not_finished(self):
        commits = ['one', 'two', 'three']
        for name in commits:
            self.write(name, name)
            self.git('add', '-A')
            self.git('commit', '-qm', name)
        self.own()
        stop = 'GIT_SEQUENCE_EDITOR="sed -i 1s/pick/edit/" git rebase -q -i HEAD~3 >&2; '
        plant = ('sed -i "1i exec touch {p}" .git/rebase-merge/git-rebase-todo; printf " \\tx touch {p}\\n" '
                 '>>.git/rebase-merge/git-rebase-todo').format(p=self.proof)
        done = self.shell(stop + plant)
        self.assertIn(b'git-rebase-todo', done.stderr)
        self.ok(self.call('git', 'rebase', '--continue'))
        self.assertFalse(os.path.exists(self.proof))
        log = self.ok(self.call('git', 'log', '--format=%s', '-3')).decode().split()
        self.assertEqual(sorted(log), sorted(commits), 'the rebase goes on with what was not held')

    def test_a_strategy_of_the_commands_own(self):
        for name in ('one', 'two'):
            self.write(name, name)
            self.git('add', '-A')
            self.git('commit', '-qm', name)
        self.own()
        self.shell('GIT_SEQUENCE_EDITOR="sed -i 1s/pick/edit/" git rebase -q -i HEAD~2; '
                   'git -c user.name=x -c user.email=x@x.invalid commit -q --amend -m other; mkdir git-merge-; '
                   'printf "#!/bin/sh\ntouch %s\n" >git-merge-/evil; chmod +x git-merge-/evil; '
                   'echo /evil >.git/rebase-merge/strategy' % self.proof)
        self.call('git', 'rebase', '--continue')
        self.assertFalse(os.path.exists(self.proof))

    def test_a_rebase_goes_on_outside(self):
        for name in ('one', 'two'):
            self.write(name, name)
            self.git('add', '-A')
            self.git('commit', '-qm', name)
        self.own()
        done = self.shell('GIT_SEQUENCE_EDITOR="sed -i 1s/pick/edit/" git rebase -q -i HEAD~2')
        self.assertNotIn(b'held', done.stderr)
        self.ok(self.call('git', 'rebase', '--continue'))

    def test_settings_of_a_nested_repository_lead_elsewhere(self):
        for name in ('lib', 'deep/er'):
            self.git('init', '-q', os.path.join(self.project, name))
            lib = os.path.join(self.project, name)
            self.git('config', 'include.path', '../team.cfg', cwd=lib)
            self.git('config', 'includeIf.gitdir:/.path', '../absent.cfg', cwd=lib)
            self.write(name + '/team.cfg', '[include]\n\tpath = more.cfg\n[core]\n\thooksPath = .githooks\n')
            self.write(name + '/more.cfg', '[user]\n\tname = Me\n')
            self.write(name + '/.githooks/commit-msg', '#!/bin/sh\nexit 0\n')
            os.chmod(os.path.join(lib, '.githooks/commit-msg'), 0o755)
        self.own()
        for script in ('printf "%s" >>team.cfg' % self.evil(), 'printf "%s" >>more.cfg' % self.evil(),
                       'printf "%s" >absent.cfg' % self.evil(),
                       'printf "touch %s\n" >>.githooks/commit-msg' % self.proof,
                       'printf "#!/bin/sh\ntouch %s\n" >.githooks/pre-commit; chmod +x .githooks/pre-commit' % self.proof):
            for name in ('lib', 'deep/er'):
                with self.subTest(script, name=name):
                    self.shell('cd %s; %s' % (name, script))
                    self.host_uses_git(name)

    def test_links_that_lead_into_another_folder(self):
        shared = os.path.join(self.home, 'shared')
        os.makedirs(os.path.join(shared, 'editor'))
        with open(os.path.join(shared, 'editor/tasks.json'), 'w') as file:
            file.write('mine')
        os.symlink('../shared/editor', os.path.join(self.project, '.vscode'))
        os.symlink(os.path.join(shared, 'rc/later'), os.path.join(self.project, '.envrc'))
        self.own()
        done = self.inside('sh', '-c', 'cd ../shared; echo evil >editor/tasks.json; echo evil >editor/new.json; '
                           'mkdir rc; echo evil >rc/later; echo fine >other', flags=('--write', shared))
        self.assertIn(b'tasks.json', done.stderr)
        with open(os.path.join(shared, 'editor/tasks.json')) as file:
            self.assertEqual(file.read(), 'mine')
        self.assertEqual(os.listdir(os.path.join(shared, 'editor')), ['tasks.json'])
        self.assertFalse(os.path.exists(os.path.join(shared, 'rc/later')))
        self.assertTrue(os.path.exists(os.path.join(shared, 'other')))

    def test_an_include_that_does_not_exist(self):
        self.git('config', 'include.path', '../missing.cfg')
        self.own()
        self.shell('printf "%s" >missing.cfg' % self.evil())
        self.host_uses_git()

    def test_a_hook_that_is_a_link(self):
        os.symlink('../../scripts/hook.sh', os.path.join(self.project, '.git/hooks/pre-commit'))
        self.own()
        self.shell('printf "#!/bin/sh\\ntouch %s\\n" >scripts/hook.sh' % self.proof)
        self.host_uses_git()
        self.assertTrue(os.stat(os.path.join(self.project, 'scripts/hook.sh')).st_mode & stat.S_IXUSR)

    def test_a_configuration_for_later(self):
        """Obeyed once the user switches extensions.worktreeConfig on, as sparse-checkout does."""
        self.shell('printf "%s" >.git/config.worktree' % self.evil())
        self.git('config', 'extensions.worktreeConfig', 'true')
        self.host_uses_git()

    def test_a_folder_of_settings_that_is_a_link(self):
        self.shell('mkdir cfg gh gh/hooks; echo x >cfg/config.toml; echo x >gh/hooks/a.json; ln -s cfg .cargo; ln -s gh .github')
        self.absent('.cargo', '.github')
        os.symlink('scripts', os.path.join(self.project, '.cargo'))
        self.own()
        self.shell('echo x >scripts/config.toml')
        self.absent('scripts/config.toml')

    def test_submodules_follow_the_same_rules(self):
        library = os.path.join(self.home, 'library')
        self.git('init', '-q', library)
        self.git('commit', '-q', '--allow-empty', '-m', 'l', cwd=library)
        self.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'lib')
        self.git('config', 'core.hooksPath', 'hooks', cwd=os.path.join(self.project, 'lib'))
        self.git('commit', '-qm', 'with lib')
        self.own()
        self.shell('mkdir -p lib/hooks; printf "#!/bin/sh\\ntouch %s\\n" >lib/hooks/pre-commit; chmod +x lib/hooks/pre-commit' % self.proof)
        self.host_uses_git('lib')


if __name__ == '__main__':
    sandbox.main()
