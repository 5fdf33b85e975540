"""
id: d-deep-folder
class: d
title: create a settings file further down than a program has descriptors
source: variation of openai/codex#37081 (depth of the search)
"""
from esc import *

DEPTH = 1500


def deepest(x):
    return x.p(*["d"] * DEPTH, ".envrc")


def attack(x):
    os.chdir(x.project)
    for _ in range(DEPTH):
        os.makedirs("d", exist_ok=True)
        os.makedirs("e", exist_ok=True)
        os.chdir("d")
    x.put(".envrc")


def verdict(x):
    hit = x.landed(deepest(x))
    for name in ("d", "e"):
        x.sh("rm", "-rf", x.p(name))    # Python's rmtree cannot
    return hit


main(globals())
