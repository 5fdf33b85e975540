# id: tty-shell-jobs
# area: terminal
# title: an interactive shell inside: a job is stopped, listed, continued and interrupted; the shell outside goes on
# uses: bash
def setup(w):
    pass


def run(w):
    w.outer = w.terminal('bash', '--norc', '--noediting', '-i', host=True)
    w.outer.send(b"PS1='outer''> '\n")
    w.steps = [w.outer.expect(b'outer> ')]
    w.outer.send(w.shell_line('bash', '--norc', '--noediting', '-i').encode() + b'\n')
    w.outer.send(b"PS1='inner''> '\n")
    w.steps.append(w.outer.expect(b'inner> ', 20))
    w.outer.send(b'cat\n')
    w.outer.send(b'ping\n')
    w.steps.append(w.outer.expect(b'ping\r\nping') or w.outer.expect(b'ping', 0.1))
    w.outer.send(b'\x1a')
    w.steps.append(w.outer.expect(b'Stopped') and w.outer.expect(b'inner> '))
    w.outer.send(b'jobs; fg\n')
    w.steps.append(w.outer.expect(b'Stopped'))
    w.outer.send(b'pong\n')
    w.steps.append(w.outer.expect(b'pong'))
    w.outer.send(b'\x03')
    w.steps.append(w.outer.expect(b'inner> '))
    w.outer.send(b'exit 7\n')
    w.steps.append(w.outer.expect(b'outer> '))
    w.outer.send(b'echo "status $?."\n')
    w.steps.append(w.outer.expect(b'status 7.'))
    w.outer.close()


def verdict(w):
    w.check(all(w.steps), f'step {w.steps.index(False) if False in w.steps else 0}: {w.outer.tail()!r}')
