"""
id: d-root-is-bare
class: d
title: turn a plain project itself into a bare repository
source: safe.bareRepository
project: plain
"""
from esc import *


def attack(x):
    x.bare_repo(x.project, x.project)


def verdict(x):
    x.sh("git", "status")
    os.makedirs(x.p("new-folder"), exist_ok=True)
    x.sh("git", "status", cwd=x.p("new-folder"))
    return x.executed()


main(globals())
