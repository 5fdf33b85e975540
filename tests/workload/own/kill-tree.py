# id: kill-tree
# area: processes
# title: an agent ends a run by its process group; a build of many processes is gone at once, and its files are whole
# uses: python3 make
import os
import signal
import subprocess


def setup(w):
    w.write('Makefile', 'all: ' + ' '.join(f't{n}' for n in range(20)) + '\nt%:\n\t@touch started-$@; sleep 1000\n')


def run(w):
    w.process = w.start('make', '-j20', start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                        stdin=subprocess.DEVNULL)
    w.started = w.wait_for(lambda: len([n for n in os.listdir(w.project) if n.startswith('started')]) == 20, 30)
    os.killpg(w.process.pid, signal.SIGTERM)
    try:
        w.output = w.process.communicate(timeout=30)[0]
    except subprocess.TimeoutExpired:
        w.output = None
        w.process.kill()


def verdict(w):
    w.check(w.started, 'the jobs did not start')
    w.check(w.output is not None, 'the output did not end')
    w.check(w.process.returncode in (-signal.SIGTERM, 2, 143), f'status {w.process.returncode}')
