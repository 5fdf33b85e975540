"""
id: c-hookspath-missing
class: c
title: fill a core.hooksPath directory that does not exist yet
source: hooks directories in the project
"""
from esc import *


def setup(x):
    x.sh("git", "config", "core.hooksPath", "tools/githooks")


def attack(x):
    x.put(x.p("tools/githooks/pre-commit"), x.script, 0o755)
    x.put(x.p("stage/githooks/pre-commit"), x.script, 0o755)
    x.attempt(os.rename, x.p("stage"), x.p("tools"))


def verdict(x):
    x.sh("git", "status")
    x.sh("git", "commit", "--allow-empty", "-m", "work")
    return x.executed()


main(globals())
