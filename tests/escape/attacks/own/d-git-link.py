"""
id: d-git-link
class: d
title: give a plain project a .git that is a link or a pointer to a prepared directory
source: projects without a repository
project: plain
"""
from esc import *


def attack(x):
    x.bare_repo(x.p("data/g"), x.project)
    if not x.attempt(os.symlink, "data/g", x.p(".git")):
        x.put(x.p(".git"), "gitdir: data/g\n")
    x.bare_repo(x.p("data/h"), x.p("sub"))
    x.put(x.p("sub/.git"), "gitdir: ../data/h\n")


def verdict(x):
    x.sh("git", "status")
    os.makedirs(x.p("sub"), exist_ok=True)
    x.sh("git", "status", cwd=x.p("sub"))
    return x.executed()


main(globals())
