"""The completions, asked through the shells themselves."""
import os
import shutil
import subprocess
import unittest

import sandbox

COMPLETIONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'completions')


class Completions(unittest.TestCase):
    def environment(self):
        return dict(os.environ, PATH=os.path.dirname(sandbox.SBX) + ':' + os.environ['PATH'])

    def bash(self, *words):
        script = ('source "$0/sbx.bash"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sbx; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        return subprocess.run(['bash', '-c', script, COMPLETIONS, *words], env=self.environment(), check=True,
                              stdout=subprocess.PIPE, text=True).stdout.split()

    def fish(self, line):
        script = 'source $argv[1]/sbx.fish; complete -C $argv[2]'
        out = subprocess.run(['fish', '-c', script, COMPLETIONS, line], env=self.environment(), check=True,
                             stdout=subprocess.PIPE, text=True).stdout
        return [entry.split('\t')[0] for entry in out.splitlines()]

    def test_bash(self):
        self.assertEqual(self.bash('sbx', 'expl'), ['explain'])
        self.assertEqual(self.bash('sbx', 'run', '--netw'), ['--network'])
        self.assertEqual(self.bash('sbx', 'run', '--network', ''), ['off', 'on'])
        self.assertEqual(self.bash('sbx', 'run', '--profile', 'untr'), ['untrusted'])
        self.assertEqual(self.bash('sbx', 'check', '--str'), ['--strict'])
        self.assertEqual(self.bash('sbx', 'profiles', 'git'), ['git-look'])

    @unittest.skipUnless(shutil.which('fish'), 'fish is not installed')
    def test_fish(self):
        self.assertEqual(self.fish('sbx expl'), ['explain'])
        self.assertIn('--network', self.fish('sbx run --netw'))
        self.assertEqual(sorted(self.fish('sbx run --network ')), ['off', 'on'])
        self.assertIn('--strict', self.fish('sbx check --str'))

    @unittest.skipUnless(shutil.which('zsh'), 'zsh is not installed')
    def test_zsh_loads(self):
        script = 'autoload -U compinit; compinit -D -u; fpath=($1 $fpath); autoload -U _sbx; whence -w _sbx'
        out = subprocess.run(['zsh', '-fc', script, 'zsh', COMPLETIONS], check=True, stdout=subprocess.PIPE, text=True)
        self.assertIn('function', out.stdout)
        subprocess.run(['zsh', '-n', os.path.join(COMPLETIONS, '_sbx')], check=True)


if __name__ == '__main__':
    sandbox.main()
