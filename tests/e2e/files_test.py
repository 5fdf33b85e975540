"""Files in the project behave as without sbx: owners, modes, times, links, locks, notifications, sockets."""
import os
import shutil
import stat
import unittest

import sandbox
from sandbox import both


@both
class Files(sandbox.Case):
    def path(self, *parts):
        return os.path.join(self.project, *parts)

    def test_owner_and_umask(self):
        uid = sandbox.NOBODY if self.as_user else os.geteuid()
        for mask in ('022', '077', '002', '000'):
            out = self.call('sh', '-c', 'umask %s; exec "$0" run -- sh -c "umask; rm -rf f d; touch f; mkdir d"' % mask, self.sbx)
            self.assertEqual(self.ok(out).decode().strip()[-3:], mask)
            for name, full in (('f', 0o666), ('d', 0o777)):
                found = os.stat(self.path(name))
                self.assertEqual((found.st_uid, stat.S_IMODE(found.st_mode)), (uid, full & ~int(mask, 8)))
        self.assertEqual(self.ok(self.shell('id -u; stat -c %u f')).split(), [str(uid).encode()] * 2)

    def test_modes_and_times(self):
        self.ok(self.shell('touch f; chmod 4755 f; chmod 1777 . ; touch -d @86400.123456789 f; mkdir d; chmod 2750 d'))
        found = os.stat(self.path('f'))
        self.assertEqual((stat.S_IMODE(found.st_mode), found.st_mtime_ns), (0o4755, 86400123456789))
        self.assertEqual(stat.S_IMODE(os.stat(self.path('d')).st_mode), 0o2750)

    def test_sparse_and_hard_links_and_renames(self):
        self.ok(self.shell('truncate -s 1G sparse; echo x >a; ln a b; mv a c; ln -s c link; mkdir d e; mv c d/; mv -T d e'))
        found = os.stat(self.path('sparse'))
        self.assertEqual(found.st_size, 1 << 30)
        self.assertLess(found.st_blocks, 100)
        self.assertEqual(os.stat(self.path('b')).st_ino, os.stat(self.path('e', 'c')).st_ino)
        self.assertEqual(os.readlink(self.path('link')), 'c')

    def test_extended_attributes_and_acls(self):
        self.write('f', 'x\n')
        try:
            os.setxattr(self.path('f'), 'user.test', b'1')
        except OSError as error:
            self.skipTest(str(error))
        code = 'import os; print(os.getxattr("f", "user.test")); os.setxattr("f", "user.more", bytes(range(256)))'
        self.assertEqual(self.ok(self.inside('python3', '-c', code)), b"b'1'\n")
        self.assertEqual(os.getxattr(self.path('f'), 'user.more'), bytes(range(256)))
        if shutil.which('setfacl'):
            uid = sandbox.NOBODY if self.as_user else 0
            self.ok(self.shell('setfacl -m u:%d:rwx f && getfacl f | grep -q user:' % uid))

    def test_locks_are_shared_with_the_host(self):
        import fcntl
        self.write('lock', '')
        with open(self.path('lock'), 'r+') as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self.ok(self.inside('flock', '-n', 'lock', 'true'), status=1)
            fcntl.flock(file, fcntl.LOCK_UN)
            self.ok(self.inside('flock', '-n', 'lock', 'true'))
            fcntl.lockf(file, fcntl.LOCK_EX)
            code = 'import fcntl\ntry: fcntl.lockf(open("lock", "r+"), fcntl.LOCK_EX | fcntl.LOCK_NB); print("got")\nexcept OSError: print("held")'
            self.assertEqual(self.ok(self.inside('python3', '-c', code)), b'held\n')

    def test_notifications_both_ways(self):
        """inotify inside sees what the host does, and the other way round."""
        code = r'''
import ctypes, os
libc = ctypes.CDLL(None)
fd = libc.inotify_init1(0)
libc.inotify_add_watch(fd, b".", 0x100)
print("watching", flush=True)
print("saw", os.read(fd, 4096)[16:].rstrip(b"\0").decode(), flush=True)
'''
        process = self.start_inside('python3', '-c', code)
        self.line_of(process, 'watching')
        self.write('from-the-host')
        self.assertEqual(self.line_of(process, 'saw'), 'from-the-host')
        process = self.start('python3', '-c', code)
        self.line_of(process, 'watching')
        self.ok(self.shell('touch from-inside'))
        self.assertEqual(self.line_of(process, 'saw'), 'from-inside')

    def test_fifos_and_sockets_in_the_project(self):
        os.mkfifo(self.path('fifo'))
        self.own()
        process = self.start_inside('sh', '-c', 'echo through >fifo')
        with open(self.path('fifo')) as file:
            self.assertEqual(file.read(), 'through\n')
        process.wait(60)
        code = r'''
import os, socket
server = socket.socket(socket.AF_UNIX); server.bind("s"); server.listen()
if os.fork() == 0:
    client = socket.socket(socket.AF_UNIX); client.connect("s"); client.sendall(b"hello"); os._exit(0)
print(server.accept()[0].recv(9).decode())
'''
        self.assertEqual(self.ok(self.inside('python3', '-c', code)), b'hello\n')

    def test_chown(self):
        """tar and fakeroot try it; an unmapped id must be EPERM for a user, never EINVAL."""
        code = 'import os\nopen("f", "w")\ntry: os.chown("f", 12345, 12345); print("ok")\nexcept OSError as e: print(e.errno)'
        out = self.ok(self.inside('python3', '-c', code)).strip()
        self.assertEqual(out, b'1' if self.as_user else b'ok')
        self.assertEqual(os.stat(self.path('f')).st_uid, sandbox.NOBODY if self.as_user else os.geteuid())

    def test_mmap_and_big_directories(self):
        code = r'''
import mmap, os
with open("m", "wb") as f: f.truncate(1 << 20)
with open("m", "r+b") as f:
    m = mmap.mmap(f.fileno(), 0); m[5:9] = b"data"; m.flush()
for n in range(3000): open("n%d" % n, "w").close()
print(len(os.listdir(".")))
'''
        self.assertEqual(self.ok(self.inside('python3', '-c', code)), b'3001\n')
        with open(self.path('m'), 'rb') as file:
            self.assertEqual(file.read(9), b'\0' * 5 + b'data')


if __name__ == '__main__':
    sandbox.main()
