"""
id: h-clone-userns
class: h
title: make a user namespace with clone and clone3 instead of unshare
source: filters that forget a call
level: surface
"""
from esc import *


def attack(x):
    class Args(ctypes.Structure):
        _fields_ = [(n, ctypes.c_uint64) for n in ("flags", "pidfd", "child_tid", "parent_tid", "exit_signal", "stack", "stack_size", "tls")]

    def child(pid):
        if pid == 0:
            os._exit(0)
        x.worked()

    args = Args(flags=0x10000000, exit_signal=17)
    for call in ((435, ctypes.byref(args), ctypes.sizeof(args)), (56, 0x10000000 | 17, 0, 0, 0, 0)):
        try:
            child(syscall(*call))
        except OSError as e:
            x.say(call[0], e)


def verdict(x):
    return x.reported()


main(globals())
