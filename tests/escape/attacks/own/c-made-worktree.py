"""
id: c-made-worktree
class: c
title: make a linked worktree by hand whose common directory is prepared
source: .git/worktrees/NAME/commondir
"""
from esc import *


def attack(x):
    x.bare_repo(x.p("build/common"))
    at = x.p(".git/worktrees/made")
    x.put(at + "/HEAD", "ref: refs/heads/main\n")
    x.put(at + "/commondir", x.p("build/common") + "\n")
    x.put(at + "/gitdir", x.p("pkg/.git") + "\n")
    x.put(x.p("pkg/.git"), "gitdir: %s\n" % at)


def verdict(x):
    x.sh("git", "status", cwd=x.p("pkg"))
    x.sh("git", "worktree", "list")
    return x.executed()


main(globals())
