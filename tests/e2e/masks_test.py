"""Secrets in the project are there, but the command cannot read, move, link or remove them (H11, C5, C7)."""
import os
import time

import sandbox
from sandbox import both

SECRET = 'the-secret-text'


@both
class Masks(sandbox.Case):
    def attack(self, path):
        """Every way to the content or past the mask; prints what worked."""
        return self.shell(f'''
            cat "$1" && echo READ
            cp "$1" copy && echo COPIED
            ln "$1" hard && echo LINKED
            mv "$1" moved && echo MOVED
            rm -rf "$1" && [ ! -e "$1" ] && echo REMOVED
            umount "$1" && echo UNMOUNTED
            chmod 777 "$1" && cat "$1" && echo OPENED
            d=$(dirname "$1"); [ "$d" = . ] || {{ mv "$d" away && echo FOLDER; }}
            grep -r {SECRET} . && echo FOUND
            [ -e "$1" ] && echo THERE
            true'''.replace('"$1"', "'" + path + "'"))

    def test_cannot_be_opened(self):
        paths = ['.env', 'a/b/server.key', 'a/Cert.PEM', '.ssh/id_rsa', 'x/.aws/credentials', 'known_hosts']
        for path in paths:
            self.write(path, SECRET, 0o666)
        for path in paths:
            with self.subTest(path):
                out = self.ok(self.attack(path)).decode().split()
                hidden_in_folder = path.split('/')[-2:-1] in (['.ssh'], ['.aws'])
                self.assertEqual(out, [] if hidden_in_folder else ['THERE'])
                with open(os.path.join(self.project, path)) as file:
                    self.assertEqual(file.read(), SECRET)

    def test_exempt_and_dependencies_stay_readable(self):
        for path in ['.env.example', 'node_modules/p/cert.pem', 'lib/site-packages/certifi/cacert.pem', 'main.c']:
            self.write(path, SECRET)
            self.assertEqual(self.ok(self.inside('cat', path)).decode(), SECRET, path)

    def test_tracked(self):
        self.needs('git')
        self.git('init', '-q')
        self.write('fixture.pem', 'public')
        self.write('changed.pem', 'public')
        self.write('planted.pem', SECRET)
        self.git('add', 'fixture.pem', 'changed.pem')
        self.git('commit', '-q', '-m', 'x')
        self.write('changed.pem', SECRET)
        result = self.inside('cat', 'fixture.pem')
        self.assertEqual(self.ok(result), b'public')
        self.assertIn(b'fixture.pem', result.stderr)
        self.assertNotEqual(self.inside('cat', 'changed.pem').returncode, 0)
        # The command can put a name into the index. That must not open the file to the next run.
        self.ok(self.shell('git update-index --add --cacheinfo 100644,$(git rev-parse HEAD:fixture.pem),planted.pem'))
        self.assertIn(b'planted.pem', self.call('git', 'ls-files').stdout)
        self.assertNotEqual(self.inside('cat', 'planted.pem').returncode, 0)

    def test_a_run_cannot_unhide_for_the_next(self):
        self.write('config/server.key', SECRET)
        self.shell('touch config/pyvenv.cfg; chmod 000 config; mv config node_modules; mkdir node_modules; '
                   'ln -s ../config node_modules/config; true')
        out = self.shell('chmod 755 config; cat config/server.key; cat node_modules/config/server.key; true')
        self.assertNotIn(SECRET.encode(), self.ok(out))

    def test_link(self):
        self.write('secrets/production', SECRET)
        os.symlink('secrets/production', os.path.join(self.project, '.env'))
        self.assertNotIn(SECRET.encode(), self.ok(self.shell('cat .env; cat secrets/production; true')))

    def test_policy_patterns(self):
        self.write('deploy/tokens.json', SECRET)
        self.write('keep.pem', SECRET)
        policy = os.path.join(self.base, 'p.toml')
        with open(policy, 'w') as file:
            file.write('[zones]\ndenied = ["deploy/*.json"]\nexempt = ["keep.pem"]\n')
        os.chmod(policy, 0o644)
        flags = ('--policy', policy)
        self.assertNotEqual(self.inside('cat', 'deploy/tokens.json', flags=flags).returncode, 0)
        self.assertEqual(self.ok(self.inside('cat', 'keep.pem', flags=flags)).decode(), SECRET)

    def test_read_grants(self):
        folder = os.path.join(self.home, 'other')
        os.mkdir(folder)
        for name in ('a.key', 'a.txt'):
            with open(os.path.join(folder, name), 'w') as file:
                file.write(SECRET)
        self.own()
        flags = ('--read', folder)
        self.assertEqual(self.ok(self.inside('cat', folder + '/a.txt', flags=flags)).decode(), SECRET)
        self.assertNotEqual(self.inside('cat', folder + '/a.key', flags=flags).returncode, 0)


@both
class Many(sandbox.Case):
    def make(self, count):
        for i in range(count):
            path = os.path.join(self.project, f'd{i % 50}', f'{i}.key')
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, 'w') as file:
                file.write(SECRET)
        self.own()

    def fastest(self):
        times = []
        for _ in range(7):
            start = time.monotonic()
            self.ok(self.inside('true'))
            times.append(time.monotonic() - start)
        return min(times)

    def test_thousand(self):
        before = self.fastest()
        self.make(1000)
        after = self.fastest()
        self.assertEqual(self.ok(self.shell('cat d*/*.key 2>/dev/null | wc -c')).strip(), b'0')
        print(f'1,000 masks: {1000 * (after - before):.1f} ms')
        if os.getloadavg()[0] < os.cpu_count() / 2:
            self.assertLess(after - before, 0.030)

    def test_twenty_thousand(self):
        self.make(20_000)
        out = self.ok(self.shell('cat d*/*.key 2>/dev/null | wc -c; ls d*/*.key | wc -l'))
        self.assertEqual(out.split(), [b'0', b'20000'])


if __name__ == '__main__':
    sandbox.main()
