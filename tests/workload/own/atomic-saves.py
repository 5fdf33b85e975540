# id: atomic-saves
# area: files
# title: editors' ways to save: rename over, write in place with fsync, backup by link, exchange, directory sync
# uses: python3
import os

CODE = r'''
import ctypes, os
def show(name):
    with open(name) as file: return file.read()
open('f', 'w').write('one')
os.chmod('f', 0o640)
with open('.f.tmp', 'w') as new:
    new.write('two'); new.flush(); os.fsync(new.fileno())
os.chmod('.f.tmp', os.stat('f').st_mode & 0o777)
os.rename('.f.tmp', 'f')
d = os.open('.', os.O_RDONLY | os.O_DIRECTORY); os.fsync(d)
print(show('f'))
os.link('f', 'f~')
with open('f.new', 'w') as new: new.write('three')
os.replace('f.new', 'f')
print(show('f'), show('f~'))
libc = ctypes.CDLL(None, use_errno=True)
print(libc.renameat2(-100, b'f', -100, b'f~', 2), show('f'))
fd = os.open('.', os.O_TMPFILE | os.O_RDWR, 0o600)
os.write(fd, b'unnamed')
libc.linkat(-100, b'/proc/self/fd/%d' % fd, -100, b'named', 0x400)
print(show('named'))
os.posix_fallocate(fd, 0, 1 << 20)
print(os.stat('named').st_size)
'''


def setup(w):
    pass


def run(w):
    w.result = w.call('python3', '-c', CODE)


def verdict(w):
    w.check(w.result.rc == 0, f'status {w.result.rc}{w.result.why()}')
    w.check(w.result.out.decode().split('\n')[:5] == ['two', 'three two', '0 two', 'unnamed', '1048576'], f'printed {w.result.out!r}')
    w.check(os.stat(w.path('f~')).st_nlink == 1, 'links differ on the host')
