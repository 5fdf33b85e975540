"""A sandbox inside a sandbox works, or says exactly what to do."""
import os
import unittest

import sandbox

SOMEBODY = 4242  # not the overflow uid, which inside a user namespace also stands for root


class Nested(sandbox.Case):
    uid = os.geteuid()

    def setUp(self):
        super().setUp()
        with open(self.sbx, 'rb') as file:
            self.inner = self.write('bin/sbx', file.read(), 0o755)
        self.own()

    def identity(self):
        return {'user': self.uid, 'group': self.uid, 'extra_groups': []} if self.uid != os.geteuid() else {}

    def own(self):
        for at, directories, files in os.walk(self.home):
            for name in [at] + [os.path.join(at, name) for name in directories + files]:
                os.chown(name, self.uid, self.uid, follow_symlinks=False)

    def policy(self, nested):
        path = os.path.join(self.base, nested + '.toml')
        with open(path, 'w', encoding='utf-8') as file:
            file.write('[sandbox]\nnested = "%s"\n' % nested)
        return ('--policy', path)

    def nested(self, *flags, script='echo inner'):
        return self.inside('bin/sbx', 'run', '--', 'sh', '-c', script, flags=flags)

    def test_by_default_it_says_what_is_needed(self):
        done = self.nested()
        self.assertEqual((done.returncode, done.stdout), (125, b''))
        self.assertIn(b'sandbox.nested = "on"', done.stderr)

    def test_where_the_outer_one_allows_it(self):
        """As an ordinary user it works, and contains. Root inside has nobody to be."""
        done = self.nested(*self.policy('on'), script='echo inner; echo x > out; ls /tmp; cat bin/../../secret')
        if self.uid == 0:
            self.assertEqual(done.returncode, 125)
            self.assertIn(b'by starting the outer sandbox as one', done.stderr)
            return
        self.assertEqual(done.stdout, b'inner\n', done.stderr)
        self.assertTrue(os.path.exists(os.path.join(self.project, 'out')))

    def test_weaker_outside(self):
        done = self.nested(*self.policy('weaker'))
        self.assertEqual(done.returncode, 125)
        self.assertIn(b'sandbox.nested = "on"', done.stderr)

    def test_in_a_user_namespace(self):
        done = self.call('unshare', '-Ur', self.sbx, 'run', '--', 'echo', 'inner')
        self.assertEqual(self.ok(done), b'inner\n')

    def test_where_proc_is_masked(self):
        """As in a container: bwrap may not mount a new /proc over one of which parts are hidden."""
        script = 'mount -t tmpfs none /proc/irq && exec "$@"'
        start = ('unshare', '-Urmpf', '--mount-proc', 'sh', '-c', script, 'sh', self.sbx, 'run')
        done = self.call(*start, '--', 'echo', 'inner')
        self.assertEqual(done.returncode, 125, done.stdout)
        self.assertIn(b'sandbox.nested = "weaker"', done.stderr)
        done = self.call(*start, *self.policy('weaker'), '--', 'echo', 'inner')
        self.assertEqual(self.ok(done), b'inner\n')
        self.assertIn(b'nested = "weaker": the command sees', done.stderr)


if os.geteuid() == 0:
    class NestedAsUser(Nested):
        uid = SOMEBODY


if __name__ == '__main__':
    unittest.main()
