# id: inotify-host-edits
# area: files
# title: inotifywait inside sees an editor's save on the host, new directories, and its own writes
# needs: inotify-tools
# uses: inotifywait
import os
import subprocess


def setup(w):
    w.write('src/file.txt', 'old\n')


def run(w):
    w.watch = w.start('inotifywait', '-q', '-m', '-r', '-e', 'moved_to,create,close_write', '--format', '%f %e', '.',
                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    # Watching has begun when a file made here shows; inotifywait itself says nothing with -q.
    os.set_blocking(w.watch.stdout.fileno(), False)
    seen, count = b'', 0

    def sees(text):
        nonlocal seen
        seen += w.watch.stdout.read() or b''
        return text in seen

    def begun():
        nonlocal count
        count += 1
        w.write(f'probe{count}', '')
        return sees(b'probe')
    w.begun = w.wait_for(begun, 20)
    w.write('src/.file.new', 'new\n')
    os.rename(w.path('src/.file.new'), w.path('src/file.txt'))
    w.saved = w.wait_for(lambda: sees(b'file.txt MOVED_TO'))
    os.mkdir(w.path('made'))
    w.made = w.wait_for(lambda: sees(b'made CREATE,ISDIR'))
    w.call('touch', 'from-inside')
    w.inside = w.wait_for(lambda: sees(b'from-inside'))
    w.watch.terminate()
    w.rc = w.watch.wait(20)


def verdict(w):
    w.check(w.begun, 'the watch never began')
    w.check(w.saved, "an editor's save on the host was not seen")
    w.check(w.made, 'a new directory was not seen')
    w.check(w.inside, 'a file of another run was not seen')
