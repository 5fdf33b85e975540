"""
id: b-link-for-the-next-run
class: b
title: leave links to the home where the next run follows them
source: two-step symlink attacks
runs: 2
"""
from esc import *


PLACES = ("vendor", "libs/sub", "pkg")


def attack(x):
    for place in PLACES:
        at = x.p(place)
        if x.phase == 1:
            x.attempt(os.rename, at, at + ".old")
            x.attempt(os.symlink, x.home, at)
        else:
            x.put(os.path.join(at, ".profile"), x.script)
            x.put(os.path.join(at, ".ssh", "authorized_keys"))


def verdict(x):
    return x.landed(x.h(".profile")) or x.landed(x.h(".ssh/authorized_keys"))


main(globals())
