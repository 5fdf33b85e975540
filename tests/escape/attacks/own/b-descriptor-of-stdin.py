"""
id: b-descriptor-of-stdin
class: b
title: write to the read-only standard input by opening it again
source: /proc/self/fd/0
"""
from esc import *


def setup(x):
    x.ctx["stdin"] = write(x.o("input"), "only to be read\n", 0o666)


def attack(x):
    for path in ("/proc/self/fd/0", "/dev/stdin", "/dev/fd/0"):
        x.attempt(x.put, path)
        for flags in (os.O_WRONLY, os.O_RDWR, os.O_WRONLY | os.O_TRUNC):
            fd = x.attempt(os.open, path, flags)
            if fd:
                x.attempt(os.write, fd, x.token.encode())


def verdict(x):
    return x.landed(x.o("input"))


main(globals())
