# id: tty-pager-pipeline
# area: terminal
# title: at a terminal: git log into less outside, less inside after a pipe, a pager ended early
# needs: git less
# uses: git less bash
import subprocess


def setup(w):
    subprocess.run('git init -q -b main . && for n in $(seq 200); do git -c user.name=B -c user.email=b@e commit -q --allow-empty -m "commit $n"; done',
                   shell=True, cwd=w.project, check=True)


def run(w):
    w.shell = w.terminal('bash', '--norc', '--noediting', '-i', host=True)
    w.shell.send(b"PS1='ready''> '\n")
    w.up = w.shell.expect(b'ready> ')
    log = w.shell_line('git', 'log', '--format=%s')
    w.shell.send(f'{log} | less; echo "status ${{PIPESTATUS[1]}}."\n'.encode())
    w.first = w.shell.expect(b'commit 190')
    w.shell.send(b'G')
    w.last = w.shell.expect(b'commit 1\r')
    w.shell.send(b'q')
    w.ended = w.shell.expect(b'status 0.')
    w.shell.send(f'{log} | {w.shell_line("less")}; echo "again ${{PIPESTATUS[1]}}."\n'.encode())
    w.inside = w.shell.expect(b'commit 190')
    w.shell.send(b'q')
    w.again = w.shell.expect(b'again 0.')
    w.shell.send(f'stty -a | grep -o -w -- "icanon"; {log} | head -1; echo "last $?."\n'.encode())
    w.modes = w.shell.expect(b'icanon') and w.shell.expect(b'commit 200') and w.shell.expect(b'last 0.')
    w.shell.close()


def verdict(w):
    w.check(w.up and w.first and w.last and w.ended, f'the pager outside did not work: {w.shell.tail()!r}')
    w.check(w.inside and w.again, f'the pager inside did not work: {w.shell.tail()!r}')
    w.check(w.modes, f'the terminal was not as before: {w.shell.tail()!r}')
