"""
id: c-hookspath-ancestor
class: c
title: move the directory above a core.hooksPath away and put another in its place
source: ancestor renames
"""
from esc import *


def setup(x):
    write(x.p("tools/git/hooks/readme"), "hooks\n")
    x.sh("git", "config", "core.hooksPath", "tools/git/hooks")


def attack(x):
    x.put(x.p("stage/git/hooks/pre-commit"), x.script, 0o755)
    x.attempt(os.rename, x.p("tools"), x.p("old"))
    x.attempt(os.rename, x.p("stage"), x.p("tools"))
    x.attempt(os.rename, x.p("tools/git"), x.p("tools/old"))
    x.attempt(os.rename, x.p("stage/git"), x.p("tools/git"))
    x.put(x.p("tools/git/hooks/pre-commit"), x.script, 0o755)


def verdict(x):
    x.sh("git", "status")
    x.sh("git", "commit", "--allow-empty", "-m", "work")
    return x.executed()


main(globals())
