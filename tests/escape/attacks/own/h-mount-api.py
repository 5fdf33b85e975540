"""
id: h-mount-api
class: h
title: use the new mount calls
source: open_tree, fsopen, mount_setattr
level: surface
needs: root
"""
from esc import *


def attack(x):
    for call in ((428, -100, b"/", 1), (430, b"tmpfs", 0), (433, -100, b"/", 0)):
        try:
            syscall(*call)
            x.worked()
        except OSError as e:
            x.say(call[0], e)


def verdict(x):
    return x.reported()


main(globals())
