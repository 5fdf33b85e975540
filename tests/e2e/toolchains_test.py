"""Toolchains below the home that PATH leads to run inside; credentials beside them do not show.

Each layout is imitated as its tool makes it, with the machine's own node in it: it finds its
libraries, reads its own path and says who it is only if everything on the way is there.
"""
import atexit
import os
import shutil
import tempfile

import sandbox
from sandbox import both

SECRET = 'hunter2-secret'


class Layout(sandbox.Case):
    node = None

    def setUp(self):
        super().setUp()
        self.needs('node')
        if not Layout.node:
            folder = tempfile.mkdtemp(prefix='sbx-e2e-node.', dir='/var/tmp')
            atexit.register(shutil.rmtree, folder, ignore_errors=True)
            os.chmod(folder, 0o755)
            Layout.node = shutil.copy(os.path.realpath(shutil.which('node', path=sandbox.PATH)), folder)

    def at(self, *parts):
        path = os.path.join(self.home, *parts)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def place_node(self, *parts):
        path = self.at(*parts)
        os.link(self.node, path)
        return path

    def script(self, where, text):
        path = self.at(where)
        with open(path, 'w') as file:
            file.write(text)
        os.chmod(path, 0o755)
        return path

    def link(self, text, *parts):
        os.symlink(text, self.at(*parts))

    def secret(self, *parts):
        with open(self.at(*parts), 'w') as file:
            file.write(SECRET)

    def path(self, *entries):
        more = [entry if entry.startswith('/') else os.path.join(self.home, entry) for entry in entries]
        return self.environment(PATH=':'.join(more + [sandbox.PATH]))

    def runs(self, *entries, name='node', expect=None):
        """`name`, found through PATH, is a node that runs, and it is the one in the home."""
        self.own()
        env = self.path(*entries)
        script = 'command -v %s; exec %s -p "process.execPath + String.fromCharCode(10) + 6 * 7"' % (name, name)
        outside = self.ok(self.call('sh', '-c', script, env=env))
        self.assertIn(self.home.encode(), outside)
        self.assertEqual(self.ok(self.inside('sh', '-c', script, env=env)), outside)
        return env

    def no_secrets(self, env):
        found = self.inside('sh', '-c', 'grep -rl %s "$HOME" 2>/dev/null; cd "$HOME" && ls -A' % SECRET, env=env)
        self.assertNotIn('secret', found.stdout.decode().replace('project', ''))
        self.assertNotIn(b'/', found.stdout)


@both
class Managers(Layout):
    # F14
    def test_nvm(self):
        self.place_node('.nvm/versions/node/v20.1.0/bin/node')
        self.secret('.nvm/versions/node/v20.1.0/etc/npmrc')
        self.script('.nvm/versions/node/v20.1.0/lib/node_modules/npm/cli.js', '#!/usr/bin/env node\nconsole.log("npm")\n')
        self.link('../lib/node_modules/npm/cli.js', '.nvm/versions/node/v20.1.0/bin/npm')
        env = self.runs('.nvm/versions/node/v20.1.0/bin')
        self.assertEqual(self.ok(self.inside('npm', env=env)), b'npm\n')
        self.no_secrets(env)

    def test_fnm_multishell(self):
        self.place_node('.local/share/fnm/node-versions/v20.1.0/installation/bin/node')
        target = os.path.join(self.home, '.local/share/fnm/node-versions/v20.1.0/installation')
        self.link(target, '.local/state/fnm_multishells/12_34')
        self.runs('.local/state/fnm_multishells/12_34/bin')

    def test_volta(self):
        self.place_node('.volta/tools/image/node/20.1.0/bin/node')
        self.script('.volta/bin/volta-shim', '#!/bin/sh\nexec "$HOME/.volta/tools/image/node/20.1.0/bin/${0##*/}" "$@"\n')
        self.link('volta-shim', '.volta/bin/node')
        self.runs('.volta/bin')

    def test_pyenv(self):
        self.place_node('.pyenv/versions/3.12.1/bin/python3')
        self.script('.pyenv/libexec/pyenv', '#!/bin/sh\nshift\nn=$1; shift\nexec "$HOME/.pyenv/versions/3.12.1/bin/$n" "$@"\n')
        self.link('../libexec/pyenv', '.pyenv/bin/pyenv')
        self.script('.pyenv/shims/python3', '#!/bin/sh\nexec "%s/.pyenv/libexec/pyenv" exec "${0##*/}" "$@"\n' % self.home)
        self.runs('.pyenv/shims', name='python3')

    def test_rbenv(self):
        self.place_node('.rbenv/versions/3.3.0/bin/ruby')
        self.script('.rbenv/shims/ruby', '#!/bin/sh\nexec "$HOME/.rbenv/versions/3.3.0/bin/ruby" "$@"\n')
        self.runs('.rbenv/shims', name='ruby')

    def test_rustup(self):
        self.place_node('.rustup/toolchains/stable/bin/cargo')
        self.script('.cargo/bin/cargo', '#!/bin/sh\nexec "$HOME/.rustup/toolchains/stable/bin/cargo" "$@"\n')
        self.secret('.cargo/credentials.toml')
        self.secret('.cargo/credentials')
        self.secret('.cargo/config.toml')
        self.script('.cargo/registry/cache/x.crate', 'crate')
        env = self.runs('.cargo/bin', name='cargo')
        self.no_secrets(env)
        # Offline the downloaded crates are there; the rest of ~/.cargo is the command's own to write.
        self.assertEqual(self.ok(self.inside('sh', '-c', 'touch ~/.cargo/.package-cache; cat ~/.cargo/registry/cache/*',
                                             env=env)), b'crate')

    def test_go(self):
        self.place_node('sdk/go1.22.1/bin/go')
        self.script('go/bin/go1.22.1', '#!/bin/sh\nexec "$HOME/sdk/go1.22.1/bin/go" "$@"\n')
        self.script('go/pkg/mod/m@v1/m.go', 'package m')
        self.secret('go/src/private/x.go')
        env = self.runs('go/bin', name='go1.22.1')
        self.runs('sdk/go1.22.1/bin', name='go')
        self.assertEqual(self.ok(self.inside('cat', self.at('go/pkg/mod/m@v1/m.go'), env=env)), b'package m')
        self.no_secrets(env)

    def test_sdkman_current_link(self):
        self.place_node('.sdkman/candidates/java/21.0.1/bin/java')
        self.link('21.0.1', '.sdkman/candidates/java/current')
        self.secret('.sdkman/etc/config')
        self.no_secrets(self.runs('.sdkman/candidates/java/current/bin', name='java'))

    def test_asdf(self):
        self.place_node('.asdf/installs/nodejs/20.1.0/bin/node')
        self.script('.asdf/shims/node', '#!/bin/sh\nread v <"$HOME/.tool-versions"\nexec "$HOME/.asdf/installs/nodejs/$v/bin/node" "$@"\n')
        self.script('.tool-versions', '20.1.0\n')
        self.runs('.asdf/shims')

    def test_mise(self):
        self.place_node('.local/share/mise/installs/node/20.1.0/bin/node')
        self.link('20.1.0', '.local/share/mise/installs/node/20')
        self.script('.local/bin/mise', '#!/bin/sh\nexec "$HOME/.local/share/mise/installs/node/20/bin/${0##*/}" "$@"\n')
        self.link('%s/.local/bin/mise' % self.home, '.local/share/mise/shims/node')
        self.runs('.local/share/mise/installs/node/20/bin')
        self.runs('.local/share/mise/shims')

    def test_bun_and_deno(self):
        self.place_node('.bun/bin/bun')
        self.place_node('.bun/install/global/node_modules/tool/tool')
        self.link('../install/global/node_modules/tool/tool', '.bun/bin/tool')
        self.place_node('.deno/bin/deno')
        self.secret('.bun/secret')
        env = self.runs('.bun/bin', '.deno/bin', name='bun')
        self.runs('.bun/bin', name='tool')
        self.runs('.deno/bin', name='deno')
        self.no_secrets(env)

    def test_npm_global_and_pnpm(self):
        self.place_node('.npm-global/lib/node_modules/x/x')
        self.link('../lib/node_modules/x/x', '.npm-global/bin/x')
        self.place_node('.local/share/pnpm/global/5/node_modules/y/y')
        self.script('.local/share/pnpm/y', '#!/bin/sh\nexec "${0%/*}/global/5/node_modules/y/y" "$@"\n')
        self.secret('.npmrc')
        env = self.runs('.npm-global/bin', name='x')
        self.runs('.local/share/pnpm', name='y')
        self.no_secrets(env)

    def test_conda_ghcup_opam_krew_flutter(self):
        for place, name in (('miniconda3/envs/e/bin', 'c'), ('.ghcup/bin', 'ghc'), ('.opam/default/bin', 'ocaml'),
                            ('dev/flutter/bin', 'flutter'), ('.krew/bin', 'kubectl-x'), ('.rye/shims', 'r')):
            self.place_node(place, name)
            self.runs(place, name=name)
        self.secret('.rye/credentials')
        self.secret('.opam/plugins/opam-publish/me.token')
        env = self.runs('.rye/shims', '.opam/default/bin', name='r')
        self.no_secrets(env)


@both
class LocalBin(Layout):
    def test_links_and_scripts_bring_their_share_directory(self):
        self.place_node('.local/share/uv/python/cpython-3.12/bin/python3.12')
        self.link('%s/.local/share/uv/python/cpython-3.12/bin/python3.12' % self.home, '.local/bin/python3.12')
        self.place_node('.local/pipx/venvs/x/bin/x')
        self.link('../pipx/venvs/x/bin/x', '.local/bin/x')
        self.place_node('.local/share/app/bin/app')
        self.script('.local/bin/app', '#!/bin/sh\nexec "$(dirname "$0")/../share/app/bin/app" "$@"\n')
        self.place_node('.local/share/pipx/venvs/p/bin/python')
        self.script('.local/bin/p', '#!%s/.local/share/pipx/venvs/p/bin/python\n' % self.home)
        self.secret('.local/share/uv/credentials/x')
        self.secret('.local/share/keyrings/login.keyring')
        self.secret('.local/share/other/x')
        self.secret('.local/state/bash/history')
        self.secret('.local/share/icons/x')
        self.script('.local/bin/bad', '#!/bin/sh\ncat "$HOME/.local/share/keyrings/login.keyring" /usr/share/icons/x\n')
        env = self.runs('.local/bin', name='python3.12')
        for name in ('x', 'app'):
            self.runs('.local/bin', name=name)
        self.ok(self.inside('p', '-v', env=env), 0)
        self.no_secrets(env)

    def test_home_bin_and_unknown_places_are_bound_alone(self):
        self.place_node('bin/tool')
        self.place_node('apps/thing/bin/thing')
        self.secret('apps/thing/config')
        self.secret('elsewhere/secret.key')
        self.link('../elsewhere', 'bin/up')
        env = self.runs('bin', 'apps/thing/bin', name='thing')
        self.runs('bin', name='tool')
        self.no_secrets(env)


@both
class Limits(Layout):
    def test_never_the_home_and_never_credentials(self):
        for place in ('.ssh', '.aws/bin', '.config/gcloud/bin', '.docker/bin'):
            self.secret(place, 'key')
        self.secret('secret.txt')
        self.secret('.config/gh/hosts.yml')
        self.secret('.local/share/keyrings/k')
        self.own()
        env = self.path('', '.', '.ssh', '.aws/bin', '.config', '.config/gcloud/bin', '.docker/bin', '.local',
                        '.local/share', 'project/..', '.ssh/../.ssh', self.base, '/')
        self.no_secrets(env)

    def test_a_link_is_no_way_around(self):
        self.secret('.ssh/id')
        self.link('.ssh', 'tools')
        self.link('.', 'all')
        self.own()
        self.no_secrets(self.path('tools', 'all', 'all/tools'))

    def test_inside_the_worktree_nothing_is_read_only(self):
        self.write('node_modules/.bin/tool', '#!/bin/sh\necho tool\n', 0o755)
        env = self.path('project/node_modules/.bin')
        self.assertEqual(self.ok(self.inside('sh', '-c', 'tool && echo x >node_modules/.bin/new', env=env)), b'tool\n')

    def test_read_only(self):
        self.script('.pyenv/shims/x', '#!/bin/sh\n')
        self.own()
        result = self.inside('sh', '-c', 'echo x >~/.pyenv/shims/x || echo y >~/.pyenv/new || mv ~/.pyenv ~/z',
                             env=self.path('.pyenv/shims'))
        self.assertNotEqual(result.returncode, 0)

    def test_off_and_listed(self):
        self.place_node('bin/tool')
        self.script('.pyenv/shims/tool2', '#!/bin/sh\n')
        self.own()
        env = self.path('bin', '.pyenv/shims')
        off = self.write('off.toml', '[sandbox]\ntoolchains = "off"\n')
        self.ok(self.inside('tool', '-v', env=env, flags=('--policy', off)), 127)
        listed = self.write('listed.toml', '[sandbox]\ntoolchains = ["~/bin"]\n')
        self.ok(self.inside('tool', '-v', env=env, flags=('--policy', listed)))
        self.ok(self.inside('tool2', env=env, flags=('--policy', listed)), 127)
        home = self.write('home.toml', '[sandbox]\ntoolchains = ["~"]\n')
        self.ok(self.inside('true', env=env, flags=('--policy', home)), 125)

    def test_path_through_links(self):
        self.place_node('real/tools/bin/tool')
        self.link('real', 'linked')
        os.symlink(os.path.join(self.home, 'linked/tools'), os.path.join(self.base, 'outside'))
        self.runs('linked/tools/bin', name='tool')
        self.own()
        env = self.path(os.path.join(self.base, 'outside/bin'))
        self.assertEqual(self.ok(self.inside('sh', '-c', 'command -v tool', env=env)).decode().strip(),
                         os.path.join(self.base, 'outside/bin/tool'))


@both
class Identity(Layout):
    def test_name_and_harmless_keys_only(self):
        with open(self.at('.gitconfig'), 'w') as file:
            file.write('[user]\n\tname = "Jo \\"Q\\" #1; x"\n\temail = jo@example.invalid\n\tsigningkey = %s\n'
                       '[commit]\n\tgpgsign = true\n[alias]\n\tx = !echo %s\n[core]\n\tautocrlf = input\n'
                       '\tpager = %s\n[credential]\n\thelper = store\n[url "https://u:%s@h/"]\n\tinsteadOf = h:\n'
                       '[init]\n\tdefaultBranch = trunk\n' % ((SECRET,) * 4))
        with open(self.at('.config/git/config'), 'w') as file:
            file.write('[user]\n\tname = Old\n[color]\n\tui = always\n')
        self.own()
        env = {key: value for key, value in self.environment().items() if not key.startswith('GIT_')}
        script = ('git init -q . && git symbolic-ref HEAD && git commit -q --allow-empty -m x && '
                  'git log -1 --format="%an|%ae|%cn" && git config --global --list && cat ~/.gitconfig')
        out = self.ok(self.inside('sh', '-c', script, env=env)).decode()
        self.assertIn('refs/heads/trunk\n', out)
        self.assertIn('Jo "Q" #1; x|jo@example.invalid|Jo "Q" #1; x\n', out)
        self.assertIn('core.autocrlf=input\n', out)
        self.assertIn('color.ui=always\n', out)
        self.assertEqual(out.count('[user]'), 1)
        for word in (SECRET, 'gpgsign', 'credential', 'alias', 'url'):
            self.assertNotIn(word, out)
        off = self.write('off.toml', '[sandbox]\ngitConfig = "off"\n')
        self.assertEqual(self.ok(self.inside('sh', '-c', 'ls -A ~', env=env, flags=('--policy', off))), b'project\n')


if __name__ == '__main__':
    sandbox.main()
