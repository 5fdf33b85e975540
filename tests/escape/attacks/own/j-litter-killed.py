"""
id: j-litter-killed
class: j
title: a killed launcher leaves files in the project
source: placeholders after kill -9
launch: kill
proof: litterbug
"""
from esc import *


def setup(x):
    x.remember(x.project, x.home)


def attack(x):
    x.signal()
    time.sleep(8)


def verdict(x):
    wait_for(lambda: not x.changes(), 4)
    changes = x.changes()
    x.ctx["why"] = " ".join(changes[:5])
    return bool(changes)


main(globals())
